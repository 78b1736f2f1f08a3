import assert from 'node:assert/strict';
import http, { createServer, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { rawResponses } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { defaultTimeouts } from '../forwarding/upstreams.ts';
import { handleNodeHttpErrors } from './node-http-errors.ts';
import { setServerLimits } from './server-limits.ts';

/** A plain Node server with the listener's rules and shorter time-outs. */
test('a client that never completes its request gets an error and is disconnected', async (t) => {
  const seen: string[] = [];
  const answering = new Set<ServerResponse>();
  const server = createServer({ connectionsCheckingInterval: 20 }, (req, res) => {
    seen.push(req.url ?? '');
    answering.add(res);
    res.once('close', () => answering.delete(res));
    req.on('error', () => undefined);
    req.resume().once('end', () => res.end());
  });
  setServerLimits(server);
  handleNodeHttpErrors(server, answering, { publicUrl: 'https://platform.example', headers: {} });
  assert.deepEqual([server.headersTimeout, server.requestTimeout, server.maxConnections], [15_000, 3_600_000, 10_000]);
  Object.assign(server, { headersTimeout: 100, requestTimeout: 200 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  /** The response to these bytes, when nothing follows. */
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
      const [response] = rawResponses(await begin(bytes));
      assert.equal(response?.status, 400);
      assert.equal(response.headers.connection, 'close');
      const { success, error } = JSON.parse(response.body);
      assert.deepEqual([success, error.code, error.message], [false, 'VALIDATION_ERROR', 'The request did not arrive in time.']);
      assert.equal(error.request_id, response.headers['x-request-id']);
    });
  }
  assert.ok(!seen.includes('/half'), 'an incomplete request reaches no handler');
});

test('a client that never completes its request gets an error from the gateway and is disconnected', async (t) => {
  const servers: Server[] = [];
  const { createServer: create } = http;
  const hurried = t.mock.method(http, 'createServer', (options: http.ServerOptions, listener?: http.RequestListener) => {
    // Not Fastify's server, which passes other options.
    if (typeof options === 'function' || options?.connectionsCheckingInterval === undefined) return create(options, listener);
    const server = create({ ...options, connectionsCheckingInterval: 20 }, listener);
    servers.push(server);
    return server;
  });
  const { url, makeKey, service } = await startTestGateway(t, { timeouts: { bodyMs: 200 } });
  hurried.mock.restore();
  const [server] = servers;
  assert.ok(server && servers.length === 1);
  const { authorization } = await makeKey({ permission: 'read_write' });
  const { hostname, port } = new URL(url);

  /** The response to a client that sends this, followed by single bytes without end. */
  const dribble = (bytes: string, piece: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(bytes);
        const more = setInterval(() => socket.write(piece), 20);
        socket.on('close', () => clearInterval(more));
      });
      socket.on('error', () => undefined).setEncoding('latin1');
      socket.once('data', (text: string) => {
        socket.destroy();
        resolve(text);
      });
    });
  const tooSlow = async (response: string) => {
    const [refusal] = rawResponses(response);
    assert.deepEqual([refusal?.status, JSON.parse(refusal?.body ?? '').error?.message], [400, 'The request did not arrive in time.']);
  };
  const form = 'POST /oauth/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n';

  await t.test('a small body, byte by byte', async () => {
    assert.equal(defaultTimeouts.bodyMs, 30_000);
    await tooSlow(await dribble(`${form}content-length: 60000\r\n\r\n`, 'x'));
  });

  await t.test('a body of unknown length, where only small ones are accepted', async () => {
    await tooSlow(await dribble(`${form}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n'));
  });

  await t.test('a body with a credential', async () => {
    const head = `POST /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n`;
    await tooSlow(await dribble(`${head}content-length: 60000\r\n\r\n`, 'x'));
    assert.equal(service.seen.length, 0);
  });

  await t.test('headers, byte by byte', async () => {
    server.headersTimeout = 200;
    await tooSlow(await dribble('GET /v2/me HTTP/1.1\r\nhost: x\r\nx-slow: ', 'x'));
  });
});
