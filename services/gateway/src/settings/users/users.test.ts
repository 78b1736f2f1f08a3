import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import type { Mail } from './mailer.ts';

test('users of an account', async (t) => {
  const mails: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void mails.push(mail) };
  const gateway = await startTestGateway(t, { mailer });
  const { call, send, makeKey, makeAccount } = gateway;
  const account = await makeAccount('starter');
  const admin = await makeKey({ account });
  const owner = await gateway.signIn(account);
  const users = (method: string, path = '', body: object = {}, key = admin) => send(method, `/v2/settings/users${path}`, body, { key });
  const invite = async (email: string, role: string) => {
    const response = await users('POST', '', { email, role });
    assert.equal(response.status, 201, response.text);
    return response.data;
  };
  const tokenIn = (url: string) => url.split('#token=')[1];
  const open = async (url: string) => {
    const response = await send('POST', '/auth/sign-in', { token: tokenIn(url) });
    assert.equal(response.status, 200, response.text);
    return { cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? '', 'x-csrf-token': response.data.csrf_token };
  };

  await t.test('an invited user signs in by the link, has the permission of the role, and becomes active', async () => {
    const ada = await invite('Ada@Example.com', 'viewer');
    assert.deepEqual([ada.email, ada.name, ada.permission, ada.status], ['ada@example.com', 'ada@example.com', 'read_only', 'invited']);
    assert.equal(mails.at(-1)?.to, 'ada@example.com');
    assert.ok(mails.at(-1)?.text.includes(ada.invitation_url));
    assert.ok(!(await gateway.everythingStored()).includes(tokenIn(ada.invitation_url) ?? '?'));
    const browser = await open(ada.invitation_url);
    assert.equal((await call('/v2/contacts', { headers: browser })).status, 200);
    assert.equal((await send('POST', '/v2/contacts', {}, { headers: browser })).status, 403);
    assert.equal((await users('GET', `/${ada.id}`)).data.status, 'active');
    assert.equal((await users('POST', `/${ada.id}/invite`)).status, 409, 'an active user gets no further link');
  });

  await t.test('a renewed invitation invalidates the old link', async () => {
    const bob = await invite('bob@example.com', 'editor');
    const again = await users('POST', `/${bob.id}/invite`);
    assert.equal(again.status, 200);
    assert.equal((await send('POST', '/auth/sign-in', { token: tokenIn(bob.invitation_url) })).status, 401);
    await open(again.data.invitation_url);
  });

  await t.test('an email address is unique per account', async () => {
    const eve = await invite('eve@example.com', 'viewer');
    const twice = await users('POST', '', { email: 'EVE@example.com', role: 'admin' });
    assert.deepEqual([twice.status, twice.error.code, twice.error.details[0].id], [409, 'CONFLICT', eve.id]);
    const stranger = await makeKey();
    assert.equal((await users('POST', '', { email: 'eve@example.com', role: 'viewer' }, stranger)).status, 201);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/invite'],
    ] as const) {
      assert.equal((await users(method, `/${eve.id}${path}`, {}, stranger)).status, 404);
    }
  });

  await t.test('a new role ends all sessions immediately, and a new name does not', async () => {
    const cleo = await invite('cleo@example.com', 'viewer');
    const browser = await open(cleo.invitation_url);
    const write = async () => (await send('POST', '/v2/contacts', {}, { headers: browser })).status;
    assert.equal(await write(), 403);
    const { data: shown } = await users('GET', `/${cleo.id}`);
    await users('PUT', `/${cleo.id}`, { name: 'Cleo' });
    assert.equal(await write(), 403);
    const raised = await users('PUT', `/${cleo.id}`, { ...shown, name: 'Cleo', role: 'editor' });
    assert.deepEqual([raised.status, raised.data.name, raised.data.permission], [200, 'Cleo', 'read_write']);
    assert.equal(await write(), 401);
    assert.equal((await users('PUT', `/${cleo.id}`, { email: 'other@example.com' })).error.details[0].path, '/email');
  });

  await t.test('removing a user ends all sessions and links immediately', async () => {
    const dan = await invite('dan@example.com', 'admin');
    const browser = await open(dan.invitation_url);
    assert.equal((await call('/v2/settings/users', { headers: browser })).status, 200);
    assert.deepEqual((await users('DELETE', `/${dan.id}`)).data, { id: dan.id, deleted: true });
    assert.equal((await call('/v2/me', { headers: browser })).status, 401);
    assert.equal((await users('DELETE', `/${dan.id}`)).status, 404);
    assert.equal((await call('/auth/session', { headers: browser })).status, 401);
  });

  await t.test('the owner cannot be removed, and an account cannot have a second one', async () => {
    const { data } = await users('GET');
    const { id } = data.items.find(({ role }: { role: string }) => role === 'owner');
    for (const response of [
      await users('DELETE', `/${id}`),
      await users('PUT', `/${id}`, { role: 'viewer' }),
      await users('POST', `/${id}/invite`),
    ]) {
      assert.deepEqual([response.status, response.error.code], [409, 'INVALID_STATE']);
    }
    const fay = await invite('fay@example.com', 'admin');
    assert.equal((await users('PUT', `/${fay.id}`, { role: 'owner' })).status, 409);
    assert.equal((await users('POST', '', { email: 'x@example.com', role: 'owner' })).status, 400);
    assert.equal((await users('PUT', `/${id}`, { name: 'Grace', role: 'owner' })).data.name, 'Grace');
    assert.equal((await call('/v2/me', { headers: owner })).data.name, 'Grace');
  });

  await t.test('a narrowed key cannot grant users more than it has', async () => {
    const narrow = await makeKey({ account, scopes: ['settings:read', 'settings:write'] });
    const gil = await invite('gil@example.com', 'viewer');
    for (const [method, path, body] of [
      ['POST', '', { email: 'x@example.com', role: 'viewer' }],
      ['PUT', `/${gil.id}`, { role: 'admin' }],
      ['POST', `/${gil.id}/invite`, {}],
    ] as const) {
      const response = await users(method, path, body, narrow);
      assert.deepEqual([response.status, response.error.code], [403, 'FORBIDDEN']);
    }
  });

  await t.test('the audit log has each change with its actor, filters and pages', async () => {
    const log = async (query: string) => (await call(`/v2/settings/audit-log?${query}`, { key: admin })).data;
    const hal = await send('POST', '/v2/settings/users', { email: 'hal@example.com', role: 'viewer' }, { headers: owner });
    await send('DELETE', `/v2/settings/users/${hal.data.id}`, {}, { key: admin });
    const { items } = await log(`target_id=${hal.data.id}`);
    assert.deepEqual(
      items.map(({ action }: { action: string }) => action),
      ['user.removed', 'user.invited'],
    );
    const me = await call('/v2/me', { headers: owner });
    assert.deepEqual([items[0].actor_id, items[1].actor_id], [admin.key.id, me.data.id]);
    assert.deepEqual(items[1].details, { email: 'hal@example.com', role: 'viewer' });
    assert.equal(items[1].request_id, hal.headers.get('x-request-id'));

    const removed = await log('action=user.removed&limit=1');
    assert.equal(removed.pagination.has_more, true);
    const next = await log(`action=user.removed&limit=1&cursor=${removed.pagination.next_cursor}`);
    assert.ok(next.items[0].created_at <= removed.items[0].created_at && next.items[0].id !== removed.items[0].id);
    const { items: none } = await log(`actor_id=${admin.key.id}&created_at[lt]=2020-01-01T00:00:00Z`);
    assert.deepEqual(none, []);
    const bad = await call('/v2/settings/audit-log?action=user.removed&actor_id=x', { key: admin });
    assert.deepEqual([bad.status, bad.error.details[0].code], [400, 'unsupported_combination']);
    assert.equal((await call('/v2/settings/audit-log?action=nonsense', { key: admin })).status, 400);
    const page = await call('/v2/settings/audit-log?limit=1', { key: admin });
    assert.match(page.headers.get('link') ?? '', /^<\/v2\/settings\/audit-log\?limit=1&cursor=[^>]+>; rel="next"$/);
    const stranger = await makeKey();
    assert.deepEqual((await call('/v2/settings/audit-log', { key: stranger })).data.items, []);
  });

  await t.test('changes the name and time zone of the account with If-Match, and returns the plan limits', async () => {
    const own = await makeAccount('growth');
    const key = await makeKey({ account: own });
    const first = await call('/v2/settings/account', { key });
    assert.equal(first.headers.get('etag'), '"1"');
    const put = (body: object, headers: Record<string, string> = {}) => send('PUT', '/v2/settings/account', body, { key, headers });
    const renamed = await put({ ...first.data, name: ' Acme ' }, { 'if-match': '"1"' });
    assert.deepEqual([renamed.status, renamed.data.name, renamed.headers.get('etag')], [200, 'Acme', '"2"'], renamed.text);
    assert.equal((await put({ name: 'Other' }, { 'if-match': '"1"' })).error.code, 'PRECONDITION_FAILED');
    assert.equal((await put({ plan: 'enterprise' })).error.details[0].path, '/plan');
    assert.equal((await call('/v2/me', { key })).data.account.name, 'Acme');
    assert.deepEqual([first.data.timezone, renamed.data.timezone], ['UTC', 'UTC']);
    const moved = await put({ timezone: 'Europe/Berlin' });
    assert.deepEqual([moved.data.name, moved.data.timezone], ['Acme', 'Europe/Berlin']);
    assert.equal((await call('/v2/me', { key })).data.account.timezone, 'Europe/Berlin');
    const log = (await call('/v2/settings/audit-log?action=account.changed&limit=1', { key })).data;
    assert.deepEqual(log.items[0].details, { before: { timezone: 'UTC' }, after: { timezone: 'Europe/Berlin' } });
    for (const timezone of ['Atlantis', '+01:00', null]) {
      assert.equal((await put({ timezone })).error.details[0].path, '/timezone', String(timezone));
    }
    assert.equal((await gateway.stores.accounts.findByName(own.name))?.id, own.id, 'the name for commands is unchanged');
    assert.deepEqual((await call('/v2/settings/plan', { key })).data, {
      plan: 'growth',
      daily_requests: 50_000,
      requests_per_second: 100,
      burst: 200,
      concurrent_requests: 200,
    });
  });
});
