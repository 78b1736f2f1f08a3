import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyCharged } from '@mp/contracts/requests/gateway';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { secretHash } from '../../credentials/secret-hash.ts';

test('an API key that a service received is verified and charged like one of a request', async (t) => {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const { call, makeKey, parts } = await startTestGateway(t, { live: true, now: () => clock.now });
  const charge = (secret: string, requests = 1) =>
    parts.broker.request(KeyCharged, { key_hash: secretHash(secret), address: '127.0.0.1', scope: 'leadpulse:write', requests });

  await t.test('each of several requests counts in the daily quota, and if they exceed it, they are refused together', async () => {
    const key = await makeKey({ plan: 'enterprise', daily_requests: 10 });
    const charged = await charge(key.text, 7);
    assert.deepEqual([charged.refused, charged.key?.account_id, charged.headers['x-ratelimit-remaining']], [null, key.account.id, '3']);
    const refused = await charge(key.text, 5);
    assert.deepEqual([refused.refused?.code, refused.key?.account_id], ['QUOTA_EXCEEDED', key.account.id]);
    assert.equal((await call('/v2/me', { key })).error.code, 'QUOTA_EXCEEDED');
    assert.equal((await charge((await makeKey()).text)).refused, null, 'another account');
  });

  await t.test('an unknown, revoked, read-only or narrowed key is refused, and is charged nothing', async () => {
    const unknown = await charge('mp_live_unknown');
    assert.deepEqual([unknown.refused?.code, unknown.key], ['UNAUTHORIZED', null]);
    for (const limited of [{ permission: 'read_only' as const }, { scopes: ['contacts:write' as const] }]) {
      const key = await makeKey(limited);
      assert.deepEqual([(await charge(key.text)).refused?.code, (await charge(key.text)).key], ['FORBIDDEN', null]);
    }
  });
});
