import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as pause, setInterval } from 'node:timers/promises';
import { startTestGateway, type TestGateway } from '../../../test/start-test-gateway.ts';

/** A file in enough pieces to take longer than the time-out of a whole request. */
const pieces = 25;
const piece = 'z'.repeat(10_000);
const patience = 2_000;

async function* slowly() {
  let sent = 0;
  for await (const _ of setInterval(100)) {
    yield piece;
    sent += 1;
    if (sent === pieces) return;
  }
}

test('large files', async (t) => {
  const gateway = await startTestGateway(t, { timeouts: { headersMs: patience, bodyMs: patience, totalMs: patience } });
  const key = await gateway.makeKey({ permission: 'read_write' });
  const { parts } = gateway;
  const upload = ({ call }: TestGateway, body: ReadableStream) => {
    const request = { key, method: 'POST', body, headers: { 'content-type': 'text/csv' }, duplex: 'half' };
    return call('/v2/contacts/batch', request as RequestInit & { key: typeof key });
  };

  await t.test('are transferred while they make progress, up and down', async () => {
    gateway.service.behave((req, res, { body }) => {
      if (req.method === 'POST') res.writeHead(200).end(String(body.length));
      else Readable.from(slowly()).pipe(res.writeHead(200));
    });
    const [up, down] = await Promise.all([upload(gateway, ReadableStream.from(slowly())), gateway.call('/v2/contacts', { key })]);
    assert.deepEqual([up.text, down.text.length], [String(pieces * piece.length), pieces * piece.length]);
  });

  await t.test('are aborted when they stall', async (t) => {
    const impatient = await startTestGateway(t, { parts, timeouts: { bodyMs: 200 } });
    const standing = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(piece)) });
    const response = await upload(impatient, standing);
    assert.deepEqual([response.status, response.error.message], [400, 'The request did not arrive in time.']);
  });

  await t.test('are not aborted while the client does not read', async (t) => {
    const impatient = await startTestGateway(t, { parts, timeouts: { bodyMs: 200 } });
    const size = 32 * 2 ** 20;
    impatient.service.behave((_req, res) => res.writeHead(200).end(Buffer.alloc(size)));
    const response = await fetch(`${impatient.url}/v2/contacts`, { headers: { authorization: key.authorization } });
    await pause(600);
    assert.equal((await response.arrayBuffer()).byteLength, size);
  });

  await t.test('time out if the service has the whole file and does not respond', async (t) => {
    for (const timeouts of [{ totalMs: 300 }, { headersMs: 300 }]) {
      const impatient = await startTestGateway(t, { parts, timeouts });
      impatient.service.behave(() => undefined);
      const response = await upload(impatient, new Blob([piece]).stream());
      assert.deepEqual([response.status, response.error.code], [504, 'UPSTREAM_TIMEOUT']);
    }
  });
});
