import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { MongoClient } from 'mongodb';
import { startPlatform } from './platform.ts';

const maxBytes = 1024 ** 3;
const path = '/v2/contacts/imports';
/** The memory limit of a container in the chart, half the size of the file. */
const memoryMax = 512 * 1024 ** 2;

const head = Buffer.from('email,notes\n');
/** Close to the maximum length of a row, so that the file has about a thousand rows and not millions. */
const noteBytes = 1_000_000;
const note = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(Math.ceil(noteBytes / 45))).subarray(0, noteBytes);

/** A CSV file of exactly `bytes` bytes: contacts with long notes, of which the last fills the rest. */
function* fileOf(bytes: number) {
  yield head;
  for (let sent = head.length, row = 0; sent < bytes; row += 1) {
    const begin = Buffer.from(`person${row}@example.com,`);
    const left = bytes - sent - begin.length - 1;
    // The rest must be large enough for a row, or zero.
    const length = left < 2 * noteBytes && left > noteBytes ? Math.floor(left / 2) : Math.min(noteBytes, left);
    yield begin;
    yield note.subarray(0, length);
    yield Buffer.from('\n');
    sent += begin.length + length + 1;
  }
}

/** Uploads a file of 1 GiB through the gateway into the database and imports it. */
test('an upload of the maximum size', async (t) => {
  const platform = await startPlatform(t, { services: [] });
  const [contacts, gateway] = [await platform.start('contacts'), await platform.start('gateway')];
  const client = await platform.client('--permission', 'read_write');
  const mongo = await MongoClient.connect(platform.infra.env.MONGODB_URL ?? '');
  t.after(() => mongo.close());
  const chunks = mongo.db(`${platform.namespace}_contacts`).collection('file_chunks');

  function begin(headers: Record<string, string | number> = {}) {
    const sending = request(`${platform.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'text/csv', ...headers },
    });
    const response = new Promise<{ status: number; body: ReturnType<typeof JSON.parse> }>((resolve, reject) => {
      sending.on('error', reject);
      sending.on('response', async (reply: IncomingMessage) => {
        resolve({ status: reply.statusCode ?? 0, body: JSON.parse(await text(reply)) });
      });
    });
    response.catch(() => undefined);
    return { sending, response };
  }

  await t.test('leaves nothing behind when it is aborted', async () => {
    const { sending, response } = begin({ 'content-length': maxBytes });
    let sent = 0;
    const half = async function* () {
      for (const piece of fileOf(maxBytes)) {
        if (sent > maxBytes / 2) {
          // Half of it has arrived before the connection is closed.
          await eventually(async () => (await chunks.countDocuments()) > 400);
          sending.destroy();
          return;
        }
        sent += piece.length;
        yield piece;
      }
    };
    await pipeline(Readable.from(half()), sending).catch(() => undefined);
    await assert.rejects(response);
    await eventually(async () => (await chunks.countDocuments()) === 0);
    assert.deepEqual((await client.get(path)).data.items, []);
    assert.deepEqual((await client.get('/v2/contacts')).data.items, []);
  });

  await t.test('is rejected if it is one byte too large: immediately by its Content-Length, or when that byte arrives', async () => {
    const { sending, response } = begin({ 'content-length': maxBytes + 1 });
    sending.flushHeaders();
    assert.deepEqual([(await response).status, (await response).body.error.code], [413, 'PAYLOAD_TOO_LARGE']);
    sending.destroy();

    const silent = begin({ 'transfer-encoding': 'chunked' });
    await pipeline(Readable.from(fileOf(maxBytes + 1)), silent.sending).catch(() => undefined);
    const { status, body } = await silent.response;
    assert.deepEqual([status, body.error.code], [413, 'PAYLOAD_TOO_LARGE']);
    await eventually(async () => (await chunks.countDocuments()) === 0);
    assert.deepEqual((await client.get(path)).data.items, []);
  });

  await t.test('is stored completely, imported, and deleted', async () => {
    const { sending, response } = begin({ 'content-length': maxBytes });
    await pipeline(Readable.from(fileOf(maxBytes)), sending);
    const { status, body } = await response;
    assert.deepEqual([status, body.data?.bytes], [202, maxBytes], JSON.stringify(body));
    const job = await eventually(async () => {
      const { data } = await client.get(`${path}/${body.data.id}`);
      return ['completed', 'failed'].includes(data.status) && data;
    });
    const rows = [...fileOf(maxBytes)].filter((piece) => piece.length === 1).length;
    assert.deepEqual([job.status, job.rows.created, job.rows.failed], ['completed', rows, 0]);
    await eventually(async () => (await chunks.countDocuments()) === 0);
  });

  await t.test('never uses memory of its size in the gateway or the service', async () => {
    for (const [name, { pid }] of Object.entries({ contacts, gateway })) {
      const [, kib = ''] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
      t.diagnostic(`${name}: at most ${Math.round(Number(kib) / 1_024)} MiB`);
      assert.ok(Number(kib) > 0 && Number(kib) * 1_024 < memoryMax, `${name} used ${kib} KiB`);
    }
  });
});
