import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowsOrigin, Origin } from '@mp/contracts/origin';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildApp } from '../app.ts';
import { isPublishableKey, newPublishableKey } from './publishable-key.ts';

const body = { name: 'Shop', origins: ['https://shop.example.com'] };

test('/v2/leadpulse/sites', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const create = async (client: ReturnType<typeof testClient>) =>
    `/v2/leadpulse/sites/${(await client.post('/v2/leadpulse/sites', body)).data.id}`;

  await guaranteeRoute(t, app, { method: 'POST', scope: 'leadpulse:write', url: () => '/v2/leadpulse/sites', body });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: () => '/v2/leadpulse/sites' });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'leadpulse:read', url: create });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'leadpulse:write', url: create, body: { name: 'Shop' } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'leadpulse:write', url: create });
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'leadpulse:write',
    url: async (client) => `${await create(client)}/rotate-secret`,
    body: {},
  });
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'leadpulse:write',
    url: async (client) => `${await create(client)}/rotate-key`,
    body: {},
  });

  await t.test('the identity secret is shown once, is stored sealed, and is returned again only to a retry', async () => {
    const account = testClient(app);
    const retry = { 'idempotency-key': 'k1' };
    const { status, data, headers } = await account.post('/v2/leadpulse/sites', body, retry);
    assert.equal(status, 201);
    assert.equal(headers.location, `/v2/leadpulse/sites/${data.id}`);
    assert.match(data.identity_secret, /^mp_sign_/);
    assert.ok(isPublishableKey(data.publishable_key));
    assert.deepEqual((await account.post('/v2/leadpulse/sites', body, retry)).data, data);
    const shown = await account.get(`/v2/leadpulse/sites/${data.id}`);
    const { identity_secret, ...site } = data;
    assert.deepEqual(shown.data, site);
    const rows = await parts.mongo.db.collection('sites').find({ account_id: account.accountId }).toArray();
    assert.ok(!JSON.stringify(rows).includes(identity_secret));
    const rotated = await account.post(`/v2/leadpulse/sites/${data.id}/rotate-secret`);
    assert.notEqual(rotated.data.identity_secret, identity_secret);
    assert.deepEqual([rotated.data.publishable_key, rotated.data.revision], [data.publishable_key, 2]);
  });

  await t.test('a site from GET can be edited and put back; read-only fields are rejected; a deleted site is gone', async () => {
    const account = testClient(app);
    const url = await create(account);
    const { data: site, headers } = await account.get(url);
    const edited = { ...site, name: 'Store', origins: ['https://*.Example.com', 'http://localhost:3000'] };
    const put = await account.put(url, edited, { 'if-match': String(headers.etag) });
    assert.deepEqual([put.status, put.data.origins, put.data.revision], [200, ['https://*.example.com', 'http://localhost:3000'], 2]);
    assert.equal((await account.put(url, edited, { 'if-match': '"1"' })).status, 412);
    assert.equal((await account.put(url, { ...put.data, publishable_key: 'mp_pub_other' })).error.details[0].code, 'read_only');
    assert.equal((await account.put(url, { name: 'Store' })).data.revision, 2, 'an unchanged site keeps its revision');
    assert.deepEqual((await account.get('/v2/leadpulse/sites')).data.items, [put.data]);
    assert.deepEqual((await account.delete(url)).data, { id: site.id, deleted: true });
    assert.equal((await account.delete(url)).status, 404);
  });

  await t.test('an account has at most 100 sites', async () => {
    const account = testClient(app);
    const rows = Array.from({ length: 99 }, (_, number) => ({
      account_id: account.accountId,
      publishable_key: `${account.accountId} ${number}`,
    }));
    await parts.mongo.db.collection('sites').insertMany(rows);
    assert.equal((await account.post('/v2/leadpulse/sites', body)).status, 201);
    const { status, error } = await account.post('/v2/leadpulse/sites', body);
    assert.deepEqual([status, error.code], [403, 'PLAN_LIMIT_EXCEEDED']);
  });

  await t.test('rejects origins with a path, without a scheme, and wildcards that are not a whole label', async () => {
    for (const origin of [
      'example.com',
      'https://example.com/',
      'https://example.com/shop',
      'ftp://example.com',
      '*',
      'https://*',
      'https://*.com',
      'https://a*.example.com',
      'https://*.*.example.com',
      'null',
    ]) {
      const { status, error } = await testClient(app).post('/v2/leadpulse/sites', { ...body, origins: [origin] });
      assert.deepEqual([origin, status, error?.details[0].path], [origin, 400, '/origins/0']);
    }
  });
});

test('a wildcard origin allows subdomains only, and every other origin must be equal', () => {
  const origins = ['https://*.example.com', 'http://localhost:3000'].map((origin) => Origin.parse(origin));
  for (const allowed of ['https://a.example.com', 'https://a.b.example.com', 'http://localhost:3000'])
    assert.ok(allowsOrigin(origins, allowed), allowed);
  for (const other of [
    'https://example.com',
    'http://a.example.com',
    'https://a.example.com:8443',
    'https://evilexample.com',
    'https://a.example.com.evil.org',
    'https://evil.org/.example.com',
    'https://evil.org#.example.com',
    'http://localhost:3001',
    'null',
    '',
  ])
    assert.ok(!allowsOrigin(origins, other), other);
});

test('a publishable key has a checksum, so that a mistyped one is rejected without a lookup', () => {
  const key = newPublishableKey();
  assert.ok(isPublishableKey(key));
  for (const wrong of [
    key.slice(0, -1),
    `${key}0`,
    key.replace('mp_pub_', 'mp_live_'),
    key.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  ])
    assert.ok(!isPublishableKey(wrong), wrong);
});
