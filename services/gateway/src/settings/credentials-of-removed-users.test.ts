import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../test/start-test-gateway.ts';

const hour = 3_600_000;

test('nothing outlives the key or token that created it', async (t) => {
  const clock = { ahead: 0 };
  const { call, send, makeKey, makeAccount, signIn } = await startTestGateway(t, { now: () => Date.now() + clock.ahead });
  const account = await makeAccount();
  const lasting = await makeKey({ account });
  const ends = new Date(Date.now() + hour);
  const brief = await makeKey({ account, expires_at: ends });
  type Caller = { authorization: string };
  const settings = (key: Caller, method: string, path: string, body: object = {}) => send(method, `/v2/settings${path}`, body, { key });
  const keyOf = (key: Caller, body: object = {}) => settings(key, 'POST', '/api-keys', { name: 'made', permission: 'read_only', ...body });
  const tokenOf = async ({ id, client_secret }: { id: string; client_secret: string }) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret });
    return (await call('/oauth/token', { method: 'POST', body })).body;
  };
  const refused = (response: Awaited<ReturnType<typeof send>>, what: string) =>
    assert.deepEqual([response.status, response.error?.code], [403, 'FORBIDDEN'], what);
  const isAtMost = (end: string | null, latest: Date) => assert.ok(end !== null && Date.parse(end) <= latest.getTime(), String(end));

  const client = (await settings(lasting, 'POST', '/oauth-clients', { name: 'App', permission: 'admin' })).data;
  const issued = await tokenOf(client);
  const token = { authorization: `Bearer ${issued.access_token}` };
  const tokenEnds = new Date(Date.now() + issued.expires_in * 1_000);

  for (const [what, maker, latest] of [
    ['a key', brief, ends],
    ['a token', token, tokenEnds],
  ] as const) {
    await t.test(`${what} creates keys that expire with it, or earlier`, async () => {
      isAtMost((await keyOf(maker)).data.expires_at, latest);
      const earlier = new Date(Date.now() + 60_000).toISOString();
      assert.equal((await keyOf(maker, { expires_at: earlier })).data.expires_at, earlier);
      refused(await keyOf(maker, { expires_at: null }), 'never');
      refused(await keyOf(maker, { expires_at: new Date(latest.getTime() + 60_000).toISOString() }), 'later');
    });

    await t.test(`${what} creates clients whose secret and tokens expire with it`, async () => {
      const made = await settings(maker, 'POST', '/oauth-clients', { name: 'App', permission: 'read_only' });
      assert.equal(made.status, 201, made.text);
      isAtMost(made.data.secrets[0].expires_at, latest);
      clock.ahead = 0;
      assert.ok((await tokenOf(made.data)).expires_in <= hour / 1_000);
      const again = await settings(maker, 'POST', `/oauth-clients/${made.data.id}/rotate`, { grace_seconds: 0 });
      isAtMost(again.data.secrets[0].expires_at, latest);
      const kept = await settings(lasting, 'POST', `/oauth-clients/${made.data.id}/rotate`, { grace_seconds: 0 });
      assert.equal(kept.data.secrets[0].expires_at, null, 'a caller that does not expire may make it permanent');
    });

    await t.test(`${what} cannot rotate what does not expire, nor grant anything permanently`, async () => {
      const { data: other } = await keyOf(lasting);
      refused(await settings(maker, 'POST', `/api-keys/${other.id}/rotate`), 'rotate a key');
      refused(await settings(maker, 'POST', `/oauth-clients/${client.id}/rotate`), 'rotate a secret');
      refused(await settings(maker, 'PUT', `/api-keys/${other.id}`, { permission: 'admin' }), 'more permission');
      refused(await settings(maker, 'POST', '/users', { email: 'new@example.com', role: 'viewer' }), 'invite');
      const { data: user } = await settings(lasting, 'POST', '/users', { email: `${what.length}@example.com`, role: 'viewer' });
      refused(await settings(maker, 'POST', `/users/${user.id}/invite`), 'a link');
      refused(await settings(maker, 'PUT', `/users/${user.id}`, { role: 'admin' }), 'a higher role');

      const { data: bounded } = await keyOf(maker);
      refused(await settings(maker, 'PUT', `/api-keys/${bounded.id}`, { expires_at: null }), 'prolong');
      for (const [path, body] of [
        [`/api-keys/${other.id}`, { name: 'renamed', scopes: ['contacts:read'] }],
        [`/oauth-clients/${client.id}`, { name: 'renamed' }],
        [`/users/${user.id}`, { name: 'renamed' }],
        [`/api-keys/${bounded.id}`, { expires_at: new Date(Date.now() + 60_000).toISOString() }],
      ] as const)
        assert.equal((await settings(maker, 'PUT', path, body)).status, 200, `${path}: changes that grant nothing are allowed`);
    });
  }

  await t.test('a token does not outlive the secret it was issued for', async () => {
    const soon = await makeKey({ account, expires_at: new Date(Date.now() + 60_000) });
    const made = await settings(soon, 'POST', '/oauth-clients', { name: 'App', permission: 'read_only' });
    const { access_token, expires_in } = await tokenOf(made.data);
    assert.ok(expires_in > 0 && expires_in <= 60, String(expires_in));
    assert.equal((await call('/v2/me', { key: { authorization: `Bearer ${access_token}` } })).status, 200);
    clock.ahead = 61_000;
    assert.equal((await call('/v2/me', { key: { authorization: `Bearer ${access_token}` } })).status, 401);
    clock.ahead = 0;
  });

  await t.test('a rotated key creates nothing that outlives its grace period', async () => {
    const old = await makeKey({ account });
    assert.equal((await settings(old, 'POST', `/api-keys/${old.key.id}/rotate`, { grace_seconds: 60 })).status, 200);
    isAtMost((await keyOf(old)).data.expires_at, new Date(Date.now() + 60_000));
  });

  await t.test('what a signed-in user creates outlives the session', async () => {
    const headers = await signIn(account);
    const made = await send('POST', '/v2/settings/api-keys', { name: 'made', permission: 'read_only' }, { headers });
    assert.deepEqual([made.status, made.data.expires_at], [201, null]);
  });

  await t.test('what a user has created stays after the user is removed: it belongs to the account', async () => {
    const invited = await settings(lasting, 'POST', '/users', { email: 'leaver@example.com', role: 'admin' });
    const opened = await send('POST', '/auth/sign-in', { token: invited.data.invitation_url.split('#token=')[1] });
    const headers = { cookie: opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '', 'x-csrf-token': opened.data.csrf_token };
    const key = await send('POST', '/v2/settings/api-keys', { name: 'made', permission: 'read_only' }, { headers });
    const made = await send('POST', '/v2/settings/oauth-clients', { name: 'made', permission: 'read_only' }, { headers });
    const { access_token } = await tokenOf(made.data);
    assert.equal((await settings(lasting, 'DELETE', `/users/${invited.data.id}`)).status, 200);

    for (const secret of [key.data.key, access_token, (await tokenOf(made.data)).access_token])
      assert.equal((await call('/v2/me', { key: { authorization: `Bearer ${secret}` } })).status, 200);
    const shown = await settings(lasting, 'GET', `/api-keys/${key.data.id}`);
    assert.equal(shown.data.created_by, invited.data.id, 'so that an administrator finds and revokes it');
    assert.equal((await call('/v2/me', { headers })).status, 401, 'the session ends');
  });
});
