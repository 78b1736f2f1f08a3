import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../test/start-test-gateway.ts';

test('a gateway that stops finishes what is in work and takes nothing new', async (t) => {
  const gateway = await startTestGateway(t);
  const key = await gateway.makeKey();
  const arrived = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  gateway.service.behave((_req, res) => {
    arrived.resolve();
    void mayAnswer.promise.then(() => res.end('{"done":true}'));
  });
  const answer = gateway.call('/v2/contacts', { key, method: 'POST', body: '{}' });
  await arrived.promise;
  const stopped = gateway.stop();
  await assert.rejects(gateway.call('/v2/contacts', { key }), 'the port is closed');
  mayAnswer.resolve();
  const { status, text, headers } = await answer;
  assert.deepEqual([status, text, headers.get('connection')], [200, '{"done":true}', 'close']);
  const began = performance.now();
  await stopped;
  assert.ok(performance.now() - began < 5_000, 'a client that would keep its connection does not keep the gateway');
});

test('an answer that had begun is finished too, and its connection closed then', async (t) => {
  const gateway = await startTestGateway(t);
  const key = await gateway.makeKey();
  const mayEnd = Promise.withResolvers<void>();
  gateway.service.behave((_req, res) => {
    res.write('half');
    void mayEnd.promise.then(() => res.end(', and whole'));
  });
  const response = await fetch(`${gateway.url}/v2/contacts`, { headers: { authorization: key.authorization } });
  assert.equal(response.headers.get('connection'), 'keep-alive');
  const stopped = gateway.stop();
  mayEnd.resolve();
  assert.equal(await response.text(), 'half, and whole');
  const began = performance.now();
  await stopped;
  assert.ok(performance.now() - began < 5_000);
});

test('usage that was counted in memory is written when the gateway stops', async (t) => {
  const gateway = await startTestGateway(t);
  const key = await gateway.makeKey();
  for (let index = 0; index < 3; index += 1) await gateway.call('/v2/contacts', { key });
  await gateway.stop();
  const date = new Date().toISOString().slice(0, 10);
  assert.equal(await gateway.stores.usage.used(key.account.id, date), 3);
});
