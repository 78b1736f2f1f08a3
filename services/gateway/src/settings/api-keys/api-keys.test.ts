import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CredentialRevoked } from '@mp/contracts/events/platform';
import { eventually } from '@mp/test-kit/eventually';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

test('API keys, through the gateway', async (t) => {
  const events = await listenToEvents(t);
  const clock = { ahead: 0 };
  const gateway = await startTestGateway(t, { live: true, now: () => Date.now() + clock.ahead });
  const { call, makeKey, makeAccount, stores } = gateway;
  const account = await makeAccount();
  const admin = await makeKey({ account });
  const auditLog = gateway.parts.mongo.db.collection('audit_log');

  const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
    call(path, { key: admin, method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });

  await t.test('a new key is returned once, works, and is not stored', async () => {
    const made = await post('/v2/settings/api-keys', { name: ' CI ', permission: 'read_write' });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), `/v2/settings/api-keys/${made.data.id}`);
    const { key, ...shown } = made.data;
    assert.match(key, /^mp_live_[0-9A-Za-z]{49}$/);
    assert.deepEqual([shown.name, shown.prefix, shown.last4], ['CI', key.slice(0, 12), key.slice(-4)]);
    assert.equal(shown.created_by, admin.key.id);

    const me = await call('/v2/me', { key: { authorization: `Bearer ${key}` } });
    assert.deepEqual(me.data, {
      id: shown.id,
      type: 'api_key',
      name: 'CI',
      permission: 'read_write',
      scopes: null,
      sending_limits: null,
      account: { id: account.id, name: account.name, plan: 'enterprise', timezone: 'UTC' },
    });
    const again = await call(`/v2/settings/api-keys/${shown.id}`, { key: admin });
    assert.equal(again.data.key, undefined);
    for (const name of ['api_keys', 'audit_log', 'outbox']) {
      const rows = await gateway.parts.mongo.db.collection(name).find().toArray();
      assert.ok(!JSON.stringify(rows).includes(key), `${name} does not hold the key`);
    }
  });

  await t.test('the audit log entry is written in the same transaction', async () => {
    const made = await post('/v2/settings/api-keys', { name: 'audited', permission: 'read_only' });
    const entry = await auditLog.findOne({ target_id: made.data.id });
    assert.equal(entry?.action, 'api_key.created');
    assert.equal(entry.actor_id, admin.key.id);
    assert.equal(entry.request_id, made.headers.get('x-request-id'));
  });

  await t.test('validation errors name the fields', async () => {
    for (const [body, path] of [
      [{ permission: 'admin' }, '/name'],
      [{ name: 'x', permission: 'owner' }, '/permission'],
      [{ name: 'x', permission: 'admin', scopes: ['all'] }, '/scopes/0'],
      [{ name: 'x', permission: 'admin', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
      [{ name: 'x', permission: 'admin', ip_allow: ['300.1.1.1'] }, '/ip_allow/0'],
      [{ name: 'x', permission: 'admin', hash: 'y' }, '/hash'],
    ] as const) {
      const response = await post('/v2/settings/api-keys', body);
      assert.equal(response.status, 400, JSON.stringify(body));
      assert.equal(response.error.details[0].path, path);
    }
  });

  await t.test('lists only keys of this account, newest first, in pages', async () => {
    await makeKey();
    const first = await call('/v2/settings/api-keys?limit=2', { key: admin });
    assert.equal(first.data.items.length, 2);
    assert.equal(first.data.items[0].name, 'audited');
    assert.equal(first.data.items[0].hash, undefined);
    const cursor = first.data.pagination.next_cursor;
    const rest = await call(`/v2/settings/api-keys?limit=2&cursor=${cursor}`, { key: admin });
    assert.deepEqual(
      rest.data.items.map(({ id }: { id: string }) => id),
      [admin.key.id],
    );
    assert.equal(rest.data.pagination.has_more, false);
    const other = await makeKey();
    assert.equal((await call(`/v2/settings/api-keys?cursor=${cursor}`, { key: other })).status, 400);
    assert.equal((await call(`/v2/settings/api-keys/${admin.key.id}`, { key: other })).status, 404);
    assert.equal((await call('/v2/settings/api-keys?limit=0', { key: admin })).status, 400);
  });

  await t.test('a revoked key is rejected from the next request on, and every gateway is notified', async () => {
    const key = await makeKey({ account });
    assert.equal((await call('/v2/me', { key })).status, 200);
    const revoked = await post(`/v2/settings/api-keys/${key.key.id}/revoke`);
    assert.equal(revoked.status, 200);
    assert.equal(revoked.data.status, 'revoked');
    assert.equal((await call('/v2/me', { key })).status, 401);
    const event = await events.next(CredentialRevoked, ({ data }) => data.key_id === key.key.id);
    assert.equal(event.data.hash, key.key.hash);
    assert.equal((await auditLog.findOne({ target_id: key.key.id }))?.action, 'api_key.revoked');

    const twice = await post(`/v2/settings/api-keys/${key.key.id}/revoke`);
    assert.deepEqual([twice.status, twice.error.code], [409, 'INVALID_STATE']);
    assert.equal((await post('/v2/settings/api-keys/key_unknown/revoke')).status, 404);
  });

  await t.test('a key revoked elsewhere is dropped when the event arrives', async () => {
    const key = await makeKey();
    assert.equal((await call('/v2/me', { key })).status, 200);
    await gateway.parts.mongo.transaction({ correlationId: 'elsewhere', causationId: null }, async (tx) => {
      await stores.apiKeys.revoke(tx, key.key);
    });
    await eventually(async () => (await call('/v2/me', { key })).status === 401);
  });

  await t.test('an account is rejected when the event of its suspension arrives, and admitted after the next', async () => {
    const key = await makeKey();
    assert.equal((await call('/v2/me', { key })).status, 200);
    for (const [status, expected] of [
      ['suspended', 403],
      ['active', 200],
    ] as const) {
      await gateway.parts.mongo.transaction({ correlationId: 'elsewhere', causationId: null }, (tx) =>
        stores.accounts.update(tx, key.account.id, { status }),
      );
      await eventually(async () => (await call('/v2/me', { key })).status === expected);
    }
  });

  await t.test('HEAD works on the gateway’s own API', async () => {
    const response = await call('/v2/me', { key: admin, method: 'HEAD' });
    assert.deepEqual([response.status, response.text], [200, '']);
    assert.ok(Number(response.headers.get('content-length')) > 0);
  });

  await t.test('the same Idempotency-Key creates one key and returns it again', async () => {
    const make = () => post('/v2/settings/api-keys', { name: 'once', permission: 'read_only' }, { 'idempotency-key': 'abc' });
    const [first, second] = [await make(), await make()];
    assert.equal(first.data.key, second.data.key);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal((await call('/v2/me', { key: { authorization: `Bearer ${second.data.key}` } })).status, 200);
    const { db } = gateway.parts.mongo;
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      const rows = JSON.stringify(await db.collection(name).find().toArray());
      assert.ok(!rows.includes(first.data.key) && !rows.includes(first.data.key.slice(8, -6)), `${name} does not hold the key`);
    }
  });

  await t.test('last_used_at is written later and only moves forward', async () => {
    const key = await makeKey();
    await call('/v2/me', { key });
    assert.equal((await stores.apiKeys.find(key.account.id, key.key.id))?.last_used_at, null);
    await stores.apiKeys.touch(new Map([[key.key.id, 2_000]]));
    await stores.apiKeys.touch(new Map([[key.key.id, 1_000]]));
    assert.equal((await stores.apiKeys.find(key.account.id, key.key.id))?.last_used_at?.getTime(), 2_000);
  });

  await t.test('last_used_at is returned before it is written', async () => {
    const made = await post('/v2/settings/api-keys', { name: 'just used', permission: 'read_only' });
    const read = async () => (await call(`/v2/settings/api-keys/${made.data.id}`, { key: admin })).data.last_used_at;
    assert.equal(await read(), null);
    await call('/v2/me', { key: { authorization: `Bearer ${made.data.key}` } });
    const used = await read();
    assert.ok(Math.abs(Date.parse(used) - Date.now() - clock.ahead) < 60_000, used);
    const listed = (await call('/v2/settings/api-keys', { key: admin })).data.items.find(({ id }: { id: string }) => id === made.data.id);
    assert.equal(listed.last_used_at, used);
    assert.equal((await stores.apiKeys.find(account.id, made.data.id))?.last_used_at, null, 'not written yet');
  });

  await t.test('while the database is unavailable, only cached keys work, for ten seconds', async () => {
    const [warm, cold] = [await makeKey({ permission: 'read_only' }), await makeKey()];
    assert.equal((await call('/v2/contacts', { key: warm })).status, 200);
    await gateway.parts.mongo.client.close();
    assert.equal((await call('/v2/contacts', { key: warm })).status, 200);
    const refused = await call('/v2/contacts', { key: cold });
    assert.deepEqual([refused.status, refused.error.code], [503, 'SERVICE_UNAVAILABLE']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    clock.ahead = 10_500;
    assert.equal((await call('/v2/contacts', { key: warm })).status, 503);
    assert.equal((await call('/v2/contacts')).status, 401, 'a missing credential needs no database');
    assert.equal((await call('/v2/contacts', { headers: { authorization: 'Bearer junk' } })).status, 401);
    await gateway.parts.mongo.client.connect();
  });
});
