import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiresIn } from '@mp/test-kit/expires-in';
import { type RequestOptions, startTestGateway } from '../../../test/start-test-gateway.ts';
import { newApiKey } from './new-api-key.ts';

const week = 7 * 24 * 60 * 60;

test('rotating and updating keys', async (t) => {
  const clock = { ahead: 0 };
  const gateway = await startTestGateway(t, { now: () => Date.now() + clock.ahead });
  const { call, send, makeKey, makeAccount } = gateway;

  /** An account with one Admin key, as most accounts start. */
  async function setUp() {
    const account = await makeAccount();
    const admin = await makeKey({ account });
    const request = (method: string, path: string, body: object = {}, options: RequestOptions = {}) =>
      send(method, `/v2/settings/api-keys${path}`, body, { key: admin, ...options });
    const make = async (body: object) => {
      const { status, data, text } = await request('POST', '', { name: 'made', permission: 'read_write', ...body });
      assert.equal(status, 201, text);
      return { ...data, authorization: `Bearer ${data.key}` };
    };
    return { account, admin, request, make };
  }
  const works = async (key: { authorization: string }) => (await call('/v2/me', { key })).status;

  await t.test('rotating returns a new key; both work until the grace period ends', async () => {
    const { request, make } = await setUp();
    const old = await make({ name: 'CI', scopes: ['contacts:read'], ip_allow: ['127.0.0.0/8'] });
    const rotated = await request('POST', `/${old.id}/rotate`, { grace_seconds: 3_600 });
    assert.equal(rotated.status, 200, rotated.text);
    assert.equal(rotated.headers.get('location'), `/v2/settings/api-keys/${rotated.data.id}`);
    const { key, ...fresh } = rotated.data;
    for (const member of ['name', 'permission', 'scopes', 'ip_allow', 'expires_at'] as const) assert.deepEqual(fresh[member], old[member]);
    assert.notEqual(fresh.id, old.id);
    assert.deepEqual([await works(old), await works({ authorization: `Bearer ${key}` })], [200, 200]);

    const { data: before } = await request('GET', `/${old.id}`);
    assert.deepEqual([before.status, before.rotated_to], ['expiring', fresh.id]);
    assert.ok(expiresIn(before.expires_at, 3_600_000));

    const again = await request('POST', `/${old.id}/rotate`, {});
    assert.deepEqual([again.status, again.error.code], [409, 'INVALID_STATE']);
    assert.match(again.error.message, new RegExp(fresh.id));

    clock.ahead = 3_601_000;
    assert.deepEqual([await works(old), await works({ authorization: `Bearer ${key}` })], [401, 200]);
    clock.ahead = 0;
  });

  await t.test('without a grace period the old key is rejected immediately; a grace period never prolongs its lifetime', async () => {
    const { request, make } = await setUp();
    const old = await make({});
    assert.equal(await works(old), 200);
    assert.equal((await request('POST', `/${old.id}/rotate`, { grace_seconds: 0 })).status, 200);
    assert.equal(await works(old), 401);
    assert.equal((await request('GET', `/${old.id}`)).data.status, 'revoked');

    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const brief = await make({ expires_at });
    const { data } = await request('POST', `/${brief.id}/rotate`, { grace_seconds: week });
    assert.equal(data.expires_at, expires_at);
    assert.equal((await request('GET', `/${brief.id}`)).data.expires_at, expires_at);
    for (const grace_seconds of [-1, week + 1, 1.5, '60']) {
      assert.equal((await request('POST', `/${data.id}/rotate`, { grace_seconds })).status, 400);
    }
  });

  await t.test('of two concurrent rotations one succeeds, and a revoked or expired key cannot be rotated', async () => {
    const { request, make } = await setUp();
    const old = await make({});
    const responses = await Promise.all([1, 2, 3].map(() => request('POST', `/${old.id}/rotate`)));
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 409, 409]);
    const gone = await make({});
    await request('POST', `/${gone.id}/revoke`);
    assert.equal((await request('POST', `/${gone.id}/rotate`)).error.code, 'INVALID_STATE');
    assert.equal((await request('PUT', `/${gone.id}`, { name: 'x' })).error.code, 'INVALID_STATE');
    assert.equal((await request('POST', '/key_unknown/rotate')).status, 404);
  });

  await t.test('a retried rotation returns the same response, which is nowhere in the database', async () => {
    const { request, make } = await setUp();
    const old = await make({});
    const rotate = () => request('POST', `/${old.id}/rotate`, {}, { headers: { 'idempotency-key': 'r1' } });
    const [first, second] = [await rotate(), await rotate()];
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(first.data.key, second.data.key);
    assert.ok(!(await gateway.everythingStored()).includes(first.data.key.slice(8, -6)));
  });

  await t.test('a change applies immediately, and what GET returned can be sent back', async () => {
    const { request, make } = await setUp();
    const key = await make({ name: 'CI' });
    assert.equal((await call('/v2/contacts', { key })).status, 200);
    const { data: shown } = await request('GET', `/${key.id}`);
    const changed = await request('PUT', `/${key.id}`, { ...shown, name: 'Reports', scopes: ['segments:read'] });
    assert.deepEqual([changed.status, changed.data.name, changed.data.scopes], [200, 'Reports', ['segments:read']]);
    assert.equal((await call('/v2/contacts', { key })).status, 403);
    assert.equal((await request('PUT', `/${key.id}`, { ip_allow: ['192.0.2.1'] })).status, 200);
    const elsewhere = await call('/v2/me', { key });
    assert.deepEqual([elsewhere.status, elsewhere.error.code], [403, 'IP_NOT_ALLOWED']);
    const refused = await request('PUT', `/${key.id}`, { last4: 'abcd' });
    assert.deepEqual([refused.status, refused.error.details[0].path], [400, '/last4']);
    assert.equal((await request('PUT', `/${key.id}`, { expires_at: '2020-01-01T00:00:00Z' })).status, 400);
  });

  await t.test('a key that expires soon has the status expiring', async () => {
    const { request, make } = await setUp();
    const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
    const [soon, later] = [await make({ expires_at: at(week - 60) }), await make({ expires_at: at(week + 60) })];
    assert.deepEqual([soon.status, later.status], ['expiring', 'active']);
    await gateway.parts.mongo.db.collection<{ _id: string }>('api_keys').updateOne({ _id: soon.id }, { $set: { expires_at: new Date(1) } });
    assert.equal((await request('GET', `/${soon.id}`)).data.status, 'expired');
  });

  await t.test('a key cannot create, change or rotate a key with more privileges', async () => {
    const { account, admin, request } = await setUp();
    const narrow = await makeKey({ account, scopes: ['settings:read', 'settings:write', 'settings:keys', 'contacts:read'] });
    const office = await makeKey({ account, ip_allow: ['127.0.0.1'] });
    const refused = async (key: typeof narrow, method: string, path: string, body: object) => {
      const response = await request(method, path, body, { key });
      assert.deepEqual([response.status, response.error.code], [403, 'FORBIDDEN'], `${method} ${path} ${JSON.stringify(body)}`);
    };
    await refused(narrow, 'POST', '', { name: 'x', permission: 'read_only' });
    await refused(narrow, 'POST', '', { name: 'x', permission: 'admin', scopes: ['contacts:write'] });
    await refused(narrow, 'PUT', `/${narrow.key.id}`, { scopes: null });
    await refused(narrow, 'POST', `/${admin.key.id}/rotate`, {});
    await refused(office, 'POST', '', { name: 'x', permission: 'read_only' });
    await refused(office, 'PUT', `/${office.key.id}`, { ip_allow: [] });
    assert.equal((await request('POST', '', { name: 'x', permission: 'admin', scopes: ['contacts:read'] }, { key: narrow })).status, 201);
    assert.equal((await request('POST', '', { name: 'x', permission: 'admin', ip_allow: ['127.0.0.1'] }, { key: office })).status, 201);

    const brief = await makeKey({ account, expires_at: new Date(Date.now() + 60_000) });
    await refused(brief, 'PUT', `/${brief.key.id}`, { expires_at: null });
    assert.equal((await request('PUT', `/${brief.key.id}`, { expires_at: null }, { key: admin })).status, 200);
  });

  await t.test('no key can revoke the last Admin key, not even itself; a signed-in user can', async () => {
    const { account, admin, request, make } = await setUp();
    const id = admin.key.id;
    for (const [method, path, body] of [
      ['POST', `/${id}/revoke`, {}],
      ['PUT', `/${id}`, { permission: 'read_only' }],
      ['PUT', `/${id}`, { scopes: ['settings:read'] }],
      ['PUT', `/${id}`, { expires_at: new Date(Date.now() + 600_000) }],
      ['PUT', `/${id}`, { expires_at: new Date(Date.now() + 2 * week * 1_000) }],
      ['PUT', `/${id}`, { ip_allow: ['127.0.0.1'] }],
    ] as const) {
      const response = await request(method, path, body);
      assert.deepEqual([response.status, response.error.code], [409, 'INVALID_STATE'], `${method} ${path}`);
    }
    await makeKey({ account, expires_at: new Date(Date.now() - 1) });
    await makeKey({ account, scopes: ['settings:read'] });
    await makeKey({ account, expires_at: new Date(Date.now() + 60_000) });
    assert.equal((await request('POST', `/${id}/revoke`)).status, 409, 'none of those can change settings permanently');

    const second = await make({ permission: 'admin' });
    const both = await Promise.all([id, second.id].map((key) => request('POST', `/${key}/revoke`)));
    const [done, refused] = both.map(({ status }) => status).toSorted();
    assert.equal(done, 200);
    // 401 if the calling key was revoked before its second request.
    assert.ok(refused === 409 || refused === 401, `of two concurrent revocations one must fail, not ${refused}`);

    const person = await gateway.signIn(account);
    const [left] = (await call('/v2/settings/api-keys', { headers: person })).data.items.filter(
      ({ status, permission, scopes }: { status: string; permission: string; scopes: unknown }) =>
        status === 'active' && permission === 'admin' && scopes === null,
    );
    assert.equal((await request('POST', `/${left.id}/revoke`, {}, { headers: person, key: undefined })).status, 200);
  });

  await t.test('an account has at most 500 active keys', async () => {
    const { account, request } = await setUp();
    const wanted = { name: 'x', permission: 'read_only', created_by: null } as const;
    const rows = Array.from({ length: 496 }, () => newApiKey(account.id, wanted).key).map(({ id, ...row }) => ({ _id: id, ...row }));
    await gateway.parts.mongo.db.collection<{ _id: string }>('api_keys').insertMany(rows);
    const responses = await Promise.all(Array.from({ length: 8 }, () => request('POST', '', { name: 'x', permission: 'read_only' })));
    assert.deepEqual(
      responses.map(({ status, error }) => error?.code ?? status).toSorted(),
      [201, 201, 201, ...Array(5).fill('PLAN_LIMIT_EXCEEDED')],
      'also with concurrent requests',
    );
  });
});
