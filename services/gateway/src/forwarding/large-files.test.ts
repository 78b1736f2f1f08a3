import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import { startTestGateway } from '../../test/start-test-gateway.ts';

/** A file of so many pieces that no time-out of a whole request would let it through. */
const pieces = 15;
const piece = 'z'.repeat(10_000);
const patience = 1_000;

async function* slowly() {
  let sent = 0;
  for await (const _ of setInterval(100)) {
    yield piece;
    sent += 1;
    if (sent === pieces) return;
  }
}

test('large files', async (t) => {
  const timeouts = { connectMs: 500, headersMs: patience, bodyMs: patience / 2, totalMs: patience };
  const { call, makeKey, service } = await startTestGateway(t, { timeouts });
  const key = await makeKey({ permission: 'read_write' });
  const upload = (body: ReadableStream) =>
    call('/v2/contacts/batch', { key, method: 'POST', body, headers: { 'content-type': 'text/csv' }, duplex: 'half' } as RequestInit & {
      key: typeof key;
    });

  await t.test('come through as long as they make progress, up and down', async () => {
    service.behave((_req, res, { body }) => res.writeHead(200).end(String(body.length)));
    assert.equal((await upload(ReadableStream.from(slowly()))).text, String(pieces * piece.length));
    service.behave((_req, res) => void Readable.from(slowly()).pipe(res.writeHead(200)));
    assert.equal((await call('/v2/contacts', { key })).text.length, pieces * piece.length);
  });

  await t.test('are let go when they stand still', async () => {
    const standing = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from(piece)) });
    const answer = await upload(standing);
    assert.deepEqual([answer.status, answer.error.message], [400, 'The request did not arrive in time.']);
  });

  await t.test('and a service that has all of it and does not answer is not waited for', async () => {
    service.behave(() => undefined);
    const answer = await upload(new Blob([piece]).stream());
    assert.deepEqual([answer.status, answer.error.code], [504, 'UPSTREAM_TIMEOUT']);
  });
});
