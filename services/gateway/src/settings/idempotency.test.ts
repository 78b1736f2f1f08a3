import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParts } from '@mp/service-kit/service-parts';
import { testClient } from '@mp/test-kit/client';
import { expiresIn } from '@mp/test-kit/expires-in';
import { testInfra } from '@mp/test-kit/infra';
import { contextKeys, cursorKeys, testParts, testService } from '@mp/test-kit/test-parts';
import { newAccount } from './accounts/account.ts';
import { newApiKey } from './api-keys/new-api-key.ts';
import { buildSettingsApp } from './app.ts';
import { createGatewayState } from './state.ts';
import { newOwner } from './users/user.ts';

/** Tests the kit's idempotency with one service. This one, because its responses also contain secrets. */
test('Idempotency-Key', async (t) => {
  const parts = await testParts(t, 'idempotency');
  const { app } = await testService(t, parts, buildSettingsApp);
  const { stores } = createGatewayState(parts);
  const account = await stores.accounts.ensure(newAccount({ name: 'idempotency', plan: 'growth' }));
  const owner = await stores.users.ensureOwner(newOwner(account.id));
  const asOwner = { account_id: account.id, principal_id: owner.id, permission: 'admin' } as const;
  const client = testClient(app, asOwner);
  const make = (key: string, by = client, name = 'once') =>
    by.post('/v2/settings/api-keys', { name, permission: 'read_only' }, { 'idempotency-key': key });
  const keys = parts.mongo.db.collection('api_keys');
  const claims = parts.mongo.db.collection<{ _id: string }>('idempotency_claims');

  await t.test('of twenty identical concurrent requests one creates the key, and all get its response', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => make('race', client, 'race')));
    const done = responses.filter(({ status }) => status === 201);
    for (const { status, error } of responses) assert.ok(status === 201 || error.code === 'IDEMPOTENCY_IN_PROGRESS', String(status));
    assert.equal(new Set(done.map(({ data }) => data.key)).size, 1);
    assert.equal(done.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length, 1);
    assert.equal(await keys.countDocuments({ account_id: account.id, name: 'race' }), 1);
  });

  await t.test('after a restart the same response is returned, including secret and Location, with a new request id', async () => {
    const first = await make('restart', client, 'restart');
    const { mongoUrl, natsUrl } = await testInfra();
    const env = { MONGODB_URL: mongoUrl, NATS_URL: natsUrl, LOG_LEVEL: 'silent', CONTEXT_KEYS: contextKeys, CURSOR_KEYS: cursorKeys };
    const again = createParts({ ...env, name: 'gateway', database: parts.mongo.db.databaseName });
    const restarted = buildSettingsApp(again);
    await restarted.app.ready();
    const second = await make('restart', testClient(restarted.app, asOwner), 'restart');
    await restarted.app.close();
    await again.mongo.stop();
    assert.deepEqual([second.status, second.data, second.headers.location], [201, first.data, first.headers.location]);
    assert.equal(second.headers['idempotent-replayed'], 'true');
    assert.notEqual(second.headers['x-request-id'], first.headers['x-request-id']);
    assert.equal(await keys.countDocuments({ account_id: account.id, name: 'restart' }), 1);
  });

  await t.test('rejects a different request with the same key; another route, account or key is independent', async () => {
    await make('reuse', client, 'reuse');
    const reused = await make('reuse', client, 'another');
    assert.deepEqual([reused.status, reused.error.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
    const elsewhere = await client.post(
      '/v2/settings/oauth-clients',
      { name: 'reuse', permission: 'read_only' },
      { 'idempotency-key': 'reuse' },
    );
    assert.equal(elsewhere.status, 201);
    const other = await stores.accounts.ensure(newAccount({ name: 'idempotency 2', plan: 'growth' }));
    const stranger = testClient(app, { ...asOwner, account_id: other.id });
    assert.equal((await make('reuse', stranger, 'reuse')).headers['idempotent-replayed'], undefined);
  });

  await t.test('returns a secret again only to its caller, not to a weaker key or a narrower token', async () => {
    const holder = async (permission: 'admin' | 'read_only', scopes: ('settings:write' | 'settings:keys')[] | null) => {
      const { key } = newApiKey(account.id, { name: 'holder', permission, scopes, created_by: null });
      await parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) => stores.apiKeys.insert(tx, key));
      return client.as({ principal_id: key.id, permission: key.permission, scopes: key.scopes });
    };
    const strong = await holder('admin', null);
    const weak = await holder('admin', ['settings:write', 'settings:keys']);
    const email = 'invited@example.com';
    const rotated = (await client.post('/v2/settings/api-keys', { name: 'rotated', permission: 'admin' })).data.id;
    const oauth = (await client.post('/v2/settings/oauth-clients', { name: 'client', permission: 'admin' })).data.id;
    for (const [path, body, secret] of [
      ['/v2/settings/api-keys', { name: 'strong', permission: 'admin' }, 'key'],
      ['/v2/settings/oauth-clients', { name: 'strong', permission: 'admin' }, 'client_secret'],
      [`/v2/settings/api-keys/${rotated}/rotate`, {}, 'key'],
      [`/v2/settings/oauth-clients/${oauth}/rotate`, {}, 'client_secret'],
      ['/v2/settings/users', { email, role: 'admin' }, 'invitation_url'],
    ] as const) {
      const header = { 'idempotency-key': 'shown' };
      const made = await strong.post(path, body, header);
      assert.ok(made.status < 300 && made.data[secret], `${path}: ${made.text}`);
      for (const other of [weak, strong.as({ scopes: ['settings:write', 'settings:keys'] })]) {
        const refused = await other.post(path, body, header);
        assert.deepEqual([refused.status, refused.error?.code], [422, 'IDEMPOTENCY_KEY_REUSED'], path);
        assert.ok(!refused.text.includes(made.data[secret]));
      }
      assert.equal((await strong.post(path, body, header)).data[secret], made.data[secret]);
    }
  });

  await t.test('a rejected request leaves no claim', async () => {
    const bad = await client.post('/v2/settings/api-keys', { name: '', permission: 'read_only' }, { 'idempotency-key': 'refused' });
    assert.equal(bad.status, 400);
    assert.equal((await make('refused')).status, 201);
  });

  await t.test('keeps a claim for 24 hours; afterwards the key can be used again', async () => {
    const first = await make('expiry', client, 'expiry');
    const _id = [account.id, 'POST', '/v2/settings/api-keys', 'expiry'].join(' ');
    const claim = await parts.mongo.db.collection<{ _id: string; expires_at: Date }>('idempotency_claims').findOne({ _id });
    assert.ok(expiresIn(claim?.expires_at, 24 * 3_600_000));
    const [ttl] = (await claims.indexes()).filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
    assert.deepEqual([ttl?.key, ttl?.expireAfterSeconds], [{ expires_at: 1 }, 0]);
    // MongoDB deletes expired claims within a minute.
    await claims.deleteOne({ _id });
    const second = await make('expiry', client, 'expiry');
    assert.notEqual(second.data.id, first.data.id);
  });

  await t.test('rejects invalid keys', async () => {
    for (const key of ['', 'with space', 'ü', 'x'.repeat(256)]) {
      const response = await make(key);
      assert.deepEqual([response.status, response.error.details[0].path], [400, '/headers/idempotency-key'], key);
    }
    assert.equal((await make(`"${'q'.repeat(255)}"`)).status, 201);
  });
});
