import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyCharged } from '@mp/contracts/requests/gateway';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { secretHash } from '../../credentials/secret-hash.ts';

test('an API key that a service received is verified and charged like one of a request', async (t) => {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const { call, makeKey, send, stores, parts } = await startTestGateway(t, { live: true, now: () => clock.now });
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

  await t.test(
    'a key that is unknown, revoked, expired, suspended, narrowed or used elsewhere is refused, and is charged nothing',
    async () => {
      const [expired, manager, suspended] = [await makeKey({ expires_at: new Date(clock.now - 1) }), await makeKey(), await makeKey()];
      const revoked = await makeKey({ account: manager.account });
      assert.equal((await charge(revoked.text)).refused, null);
      assert.equal((await send('POST', `/v2/settings/api-keys/${revoked.key.id}/revoke`, {}, { key: manager })).status, 200);
      for (const text of ['mp_live_unknown', revoked.text, expired.text]) {
        const { refused, key } = await charge(text);
        assert.deepEqual([refused?.code, key], ['UNAUTHORIZED', null]);
      }
      const elsewhere = await charge((await makeKey({ ip_allow: ['192.0.2.1'] })).text);
      assert.deepEqual([elsewhere.refused?.code, elsewhere.key], ['IP_NOT_ALLOWED', null]);
      await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
        stores.accounts.update(tx, suspended.account.id, { status: 'suspended' }),
      );
      assert.equal((await charge(suspended.text)).refused?.code, 'ACCOUNT_SUSPENDED');
      for (const limited of [{ permission: 'read_only' as const }, { scopes: ['contacts:write' as const] }]) {
        const key = await makeKey(limited);
        assert.deepEqual([(await charge(key.text)).refused?.code, (await charge(key.text)).key], ['FORBIDDEN', null]);
      }
    },
  );
});
