import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestCharged } from '@mp/contracts/requests/gateway';
import { newId } from '@mp/ids';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

test('requests to inbound URLs share the limits of their account with those with a key', async (t) => {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const { call, makeKey, parts } = await startTestGateway(t, { live: true, now: () => clock.now });
  const workflow = newId('workflow');
  const charge = (account_id: string) => parts.broker.request(RequestCharged, { account_id, url_of: workflow });

  await t.test('the daily quota, and the rate limit headers', async () => {
    const key = await makeKey({ plan: 'enterprise', daily_requests: 3 });
    const [first, second] = [await charge(key.account.id), await charge(key.account.id)];
    assert.deepEqual([first.refused, second.refused], [null, null]);
    const response = await call('/v2/me', { key });
    assert.equal(response.headers.get('x-ratelimit-remaining'), '0');
    assert.equal(second.headers['x-ratelimit-remaining'], '1');
    assert.equal(second.headers['ratelimit-policy'], response.headers.get('ratelimit-policy'));
    const [refused, without] = [await charge(key.account.id), await call('/v2/me', { key })];
    const { code, message, details, retry_after } = refused.refused ?? {};
    assert.deepEqual([code, message, details], [without.error.code, without.error.message, without.error.details]);
    assert.ok(Number(retry_after) >= 12 * 3_600);
    assert.equal((await charge((await makeKey({ plan: 'starter' })).account.id)).refused, null, 'another account');
  });

  await t.test('the burst limit', async () => {
    const { account } = await makeKey({ plan: 'starter' });
    const charges = [];
    for (let index = 0; index < 102; index += 1) charges.push(await charge(account.id));
    const [last] = charges.slice(-1);
    assert.deepEqual(
      [charges.filter(({ refused }) => refused === null).length, last?.refused?.code, last?.refused?.retry_after],
      [100, 'RATE_LIMITED', 1],
    );
    clock.now += 1_000;
    assert.equal((await charge(account.id)).refused, null);
  });

  await t.test('nothing for an account that does not exist', async () => {
    assert.deepEqual(await charge(newId('account')), { headers: {}, refused: null });
  });
});
