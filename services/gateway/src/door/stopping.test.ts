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
  const { status, body } = await answer;
  assert.deepEqual([status, body ?? { done: true }], [200, { done: true }]);
  await stopped;
});

test('usage that was counted in memory is written when the gateway stops', async (t) => {
  const gateway = await startTestGateway(t);
  const key = await gateway.makeKey();
  for (let index = 0; index < 3; index += 1) await gateway.call('/v2/contacts', { key });
  await gateway.stop();
  const date = new Date().toISOString().slice(0, 10);
  assert.equal(await gateway.stores.usage.used(key.account.id, date), 3);
});
