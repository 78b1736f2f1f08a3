import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { rawAnswers } from '../../test/raw-request.ts';
import { answerBelowTheRequest } from './below-the-request.ts';

/** Node's own listener with the door's rules, and with less patience than it has in earnest. */
test('a client that does not come to an end is told so, and let go', async (t) => {
  const seen: string[] = [];
  const answering = new Set<ServerResponse>();
  const server = createServer({ connectionsCheckingInterval: 20 }, (req, res) => {
    seen.push(req.url ?? '');
    answering.add(res);
    res.once('close', () => answering.delete(res));
    req.on('error', () => undefined);
    req.resume().once('end', () => res.end());
  });
  answerBelowTheRequest(server, answering);
  assert.deepEqual([server.headersTimeout, server.requestTimeout], [15_000, 3_600_000]);
  Object.assign(server, { headersTimeout: 100, requestTimeout: 200 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  /** What comes back for these bytes, when nothing follows them. */
  const begin = (bytes: string) =>
    new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk;
      });
      socket.on('error', () => undefined).on('close', () => resolve(text));
    });

  for (const [what, bytes] of [
    ['headers that stop half-way', 'GET /half HTTP/1.1\r\nhost: x\r\nx-slow: '],
    ['a body that stops half-way', 'POST /body HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc'],
  ] as const) {
    await t.test(what, async () => {
      const [answer] = rawAnswers(await begin(bytes));
      assert.equal(answer?.status, 400);
      assert.equal(answer.headers.connection, 'close');
      const { success, error } = JSON.parse(answer.body);
      assert.deepEqual([success, error.code, error.message], [false, 'VALIDATION_ERROR', 'The request did not arrive in time.']);
      assert.equal(error.request_id, answer.headers['x-request-id']);
    });
  }
  assert.ok(!seen.includes('/half'), 'what never was a request reached nobody');
});
