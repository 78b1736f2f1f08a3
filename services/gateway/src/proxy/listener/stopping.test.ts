import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rawExchange } from '../../../test/raw-request.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

/** Less than the 65 seconds for which a gateway keeps the connection of a client that sends nothing. */
const patienceMs = 60_000;

test('a stopping gateway finishes in-flight requests and accepts no new ones', async (t) => {
  const gateway = await startTestGateway(t);
  const key = await gateway.makeKey();
  const arrived = Promise.withResolvers<void>();
  const mayRespond = Promise.withResolvers<void>();
  gateway.service.behave((_req, res) => {
    arrived.resolve();
    void mayRespond.promise.then(() => res.end('{"done":true}'));
  });
  const pending = gateway.call('/v2/contacts', { key, method: 'POST', body: '{}' });
  await arrived.promise;
  const stopped = gateway.stop();
  await assert.rejects(gateway.call('/v2/contacts', { key }), 'the port is closed');
  mayRespond.resolve();
  const { status, text, headers } = await pending;
  assert.deepEqual([status, text, headers.get('connection')], [200, '{"done":true}', 'close']);
  await stopped;
});

test('while a gateway waits to stop, it accepts requests, and each response closes its connection', async (t) => {
  const gateway = await startTestGateway(t);
  const key = await gateway.makeKey();
  assert.equal((await gateway.call('/v2/contacts', { key })).headers.get('connection'), 'keep-alive');
  gateway.drain();
  for (const path of ['/v2/contacts', '/v2/me', '/health/live']) {
    const { status, headers } = await gateway.call(path, { key });
    assert.deepEqual([path, status, headers.get('connection')], [path, 200, 'close']);
  }
});

test('a response that has begun is completed, and its connection closed afterwards', async (t) => {
  const gateway = await startTestGateway(t);
  const key = await gateway.makeKey();
  const mayEnd = Promise.withResolvers<void>();
  gateway.service.behave((_req, res) => {
    res.write('half');
    void mayEnd.promise.then(() => res.end(', and whole'));
  });
  const request = `GET /v2/contacts HTTP/1.1\r\nhost: x\r\nauthorization: ${key.authorization}\r\n\r\n`;
  const begun = Promise.withResolvers<void>();
  const pending = rawExchange(gateway.url, request, begun.resolve);
  await begun.promise;
  const began = performance.now();
  const stopped = gateway.stop();
  mayEnd.resolve();
  const text = await pending;
  assert.match(text, /\r\nconnection: keep-alive\r\n[\s\S]*half\r\n[\s\S]*, and whole\r\n0\r\n\r\n$/i);
  await stopped;
  assert.ok(performance.now() - began < patienceMs, 'a keep-alive client does not delay the stop');
});

test('writes usage counted in memory when the gateway stops', async (t) => {
  const gateway = await startTestGateway(t);
  const key = await gateway.makeKey();
  for (let index = 0; index < 3; index += 1) await gateway.call('/v2/contacts', { key });
  await gateway.stop();
  const date = new Date().toISOString().slice(0, 10);
  assert.equal(await gateway.stores.usage.used(key.account.id, date), 3);
});

test('a client that leaves during a large response does not delay the stop', async (t) => {
  const gateway = await startTestGateway(t);
  const { authorization } = await gateway.makeKey();
  gateway.service.behave((_req, res) => {
    const more = () => {
      while (res.write(Buffer.alloc(65_536)));
    };
    res.on('drain', more);
    more();
  });
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/v2/contacts`, { headers: { authorization }, signal: leaving.signal });
  const reader = response.body?.getReader();
  for (let read = 0; read < 4; read += 1) await reader?.read();
  leaving.abort();
  const began = performance.now();
  await gateway.stop();
  assert.ok(performance.now() - began < patienceMs);
});
