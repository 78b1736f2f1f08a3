import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { createBodyMemory } from './body-memory.ts';
import { maxBufferedBytes, requestBody } from './request-body.ts';

test('a body that continues as a stream holds memory only until its buffered part is sent', async (t) => {
  const memory = createBodyMemory();
  const heldAtFirst = Promise.withResolvers<number>();
  const server = createServer(async (req, res) => {
    const reading = { limit: 10 * maxBufferedBytes, patienceMs: 30_000, memory, caller: 'a', onHeld: () => undefined };
    const { content } = await requestBody(req, { ...reading, enterUpload: async () => () => undefined });
    heldAtFirst.resolve(memory.bytes());
    assert.ok(content instanceof Readable);
    let bytes = 0;
    for await (const chunk of content) bytes += chunk.length;
    res.end(String(bytes));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  // No length, and not complete yet.
  const client = request({ port, host: '127.0.0.1', method: 'POST' });
  client.write(Buffer.alloc(2 * maxBufferedBytes));
  t.after(() => client.destroy());
  assert.ok((await heldAtFirst.promise) > maxBufferedBytes);
  await eventually(async () => memory.bytes() === 0);
  client.end('the end');
  const [response] = await once(client, 'response');
  assert.equal(await text(response), String(2 * maxBufferedBytes + 7));
});
