import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../test/start-test-gateway.ts';
import { newOwner } from './users/user.ts';

async function signInToken({ stores, makeAccount }: TestGateway, madeAt = new Date()) {
  const account = await makeAccount('starter');
  const owner = await stores.users.ensureOwner(newOwner(account.id));
  return { account, owner, token: await stores.signInLinks.make(owner, { now: madeAt }) };
}

const post = ({ call }: TestGateway, path: string, body: object, headers: Record<string, string> = {}) =>
  call(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });

const cookieIn = (response: { headers: Headers }) => response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

test('signing in to the dashboard', async (t) => {
  const gateway = await startTestGateway(t);
  const { call } = gateway;

  await t.test('a link opens a session, once', async () => {
    const { owner, account, token } = await signInToken(gateway);
    const response = await post(gateway, '/auth/sign-in', { token });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const cookie = response.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^mp_session=mp_se_\w{49}; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/);
    assert.deepEqual(response.data.user, { id: owner.id, name: 'Owner', email: null, role: 'owner', permission: 'admin' });
    assert.equal(response.data.account_id, account.id);

    const again = await post(gateway, '/auth/sign-in', { token });
    assert.deepEqual([again.status, again.error.code, again.headers.get('set-cookie')], [401, 'UNAUTHORIZED', null]);
    const rows = await gateway.parts.mongo.db.collection('sessions').find().toArray();
    assert.ok(!JSON.stringify(rows).includes(cookieIn(response).slice('mp_session='.length)), 'the token itself is not stored');
  });

  await t.test('a sign-in makes a new session, whatever session the browser had before', async () => {
    const attacker = await signInToken(gateway);
    const fixed = cookieIn(await post(gateway, '/auth/sign-in', { token: attacker.token }));
    const victim = await signInToken(gateway);
    const response = await post(gateway, '/auth/sign-in', { token: victim.token }, { cookie: fixed });
    assert.notEqual(cookieIn(response), fixed);
    const whoIs = async (cookie: string) => (await call('/auth/session', { headers: { cookie } })).data.user.id;
    assert.deepEqual([await whoIs(cookieIn(response)), await whoIs(fixed)], [victim.owner.id, attacker.owner.id]);
  });

  await t.test('rejects sign-in requests from other sites and sibling domains', async () => {
    const { token } = await signInToken(gateway);
    for (const from of ['cross-site', 'same-site']) {
      const response = await post(gateway, '/auth/sign-in', { token }, { 'sec-fetch-site': from });
      assert.deepEqual([response.status, response.error.code, response.headers.get('set-cookie')], [403, 'FORBIDDEN', null]);
    }
    assert.equal((await post(gateway, '/auth/sign-in', { token }, { 'sec-fetch-site': 'same-origin' })).status, 200);
  });

  await t.test('without Sec-Fetch-Site, checks the Origin', async () => {
    const { token } = await signInToken(gateway);
    const here = new URL(gateway.url);
    for (const origin of ['https://evil.example', 'null', `http://${here.hostname}:1`, 'nonsense', 'http://localhost:8080.evil.example']) {
      const response = await post(gateway, '/auth/sign-in', { token }, { origin });
      assert.deepEqual([response.status, response.error.code, response.headers.get('set-cookie')], [403, 'FORBIDDEN', null], origin);
    }
    // Both the public URL and the requested host are accepted.
    for (const origin of ['http://localhost:8080', here.origin]) {
      const { token: another } = await signInToken(gateway);
      assert.equal((await post(gateway, '/auth/sign-in', { token: another }, { origin })).status, 200, origin);
    }
  });

  await t.test('of two concurrent uses of one link, one succeeds', async () => {
    const { token } = await signInToken(gateway);
    const responses = await Promise.all([1, 2, 3].map(() => post(gateway, '/auth/sign-in', { token })));
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 401, 401]);
  });

  await t.test('rejects expired and unknown links', async () => {
    const { token } = await signInToken(gateway, new Date(Date.now() - 24 * 60 * 60 * 1_000));
    assert.equal((await post(gateway, '/auth/sign-in', { token })).status, 401);
    assert.equal((await post(gateway, '/auth/sign-in', { token: 'made-up' })).status, 401);
    assert.equal((await post(gateway, '/auth/sign-in', {})).status, 400);
  });

  await t.test('a session calls the API as its user; writes need the CSRF token', async () => {
    const { owner, token } = await signInToken(gateway);
    const signedIn = await post(gateway, '/auth/sign-in', { token });
    const cookie = cookieIn(signedIn);
    const me = await call('/v2/me', { headers: { cookie: `theme=dark; ${cookie}` } });
    assert.deepEqual([me.data.id, me.data.type, me.data.permission], [owner.id, 'user', 'admin']);

    const make = (headers: Record<string, string>) =>
      post(gateway, '/v2/settings/api-keys', { name: 'page', permission: 'admin' }, { cookie, ...headers });
    for (const wrong of [{}, { 'x-csrf-token': 'wrong' }]) {
      const refused = await make(wrong);
      assert.deepEqual([refused.status, refused.error.code], [403, 'FORBIDDEN']);
    }
    const session = await call('/auth/session', { headers: { cookie } });
    assert.equal(session.data.csrf_token, signedIn.data.csrf_token);
    const made = await make({ 'x-csrf-token': session.data.csrf_token });
    assert.equal(made.status, 201);
    assert.equal(made.data.created_by, owner.id);
  });

  await t.test('requests of the dashboard are not charged to the quota, but the burst limit applies', async () => {
    const { token } = await signInToken(gateway);
    const cookie = cookieIn(await post(gateway, '/auth/sign-in', { token }));
    const response = await call('/v2/contacts', { headers: { cookie } });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('ratelimit') ?? '', /^"burst";r=\d+;t=1$/);
    assert.equal((await call('/v2/settings/usage', { headers: { cookie } })).data.used, 0);
  });

  await t.test('signing out ends the session immediately', async () => {
    const { token } = await signInToken(gateway);
    const signedIn = await post(gateway, '/auth/sign-in', { token });
    const cookie = cookieIn(signedIn);
    assert.equal((await call('/v2/me', { headers: { cookie } })).status, 200);
    assert.equal((await post(gateway, '/auth/sign-out', {}, { cookie })).status, 403);
    const out = await post(gateway, '/auth/sign-out', {}, { cookie, 'x-csrf-token': signedIn.data.csrf_token });
    assert.equal(out.status, 200);
    assert.match(out.headers.get('set-cookie') ?? '', /^mp_session=;.*Expires=Thu, 01 Jan 1970/);
    assert.equal((await call('/v2/me', { headers: { cookie } })).status, 401);
    assert.equal((await call('/auth/session', { headers: { cookie } })).status, 401);
  });

  await t.test('an Authorization header takes precedence over the cookie', async () => {
    const { token } = await signInToken(gateway);
    const cookie = cookieIn(await post(gateway, '/auth/sign-in', { token }));
    assert.equal((await call('/v2/me', { headers: { cookie, authorization: 'Bearer wrong' } })).status, 401);
    const wrong = await call('/v2/me', { headers: { cookie: 'mp_session=wrong' } });
    assert.equal(wrong.headers.get('www-authenticate'), 'Bearer realm="marketing-platform"');
  });

  await t.test('other paths under /auth and /oauth are 404', async () => {
    assert.equal((await call('/auth/other')).status, 404);
    assert.equal((await post(gateway, '/auth/other', {})).status, 404);
    assert.equal((await post(gateway, '/oauth/other', {})).status, 404);
    assert.equal((await call('/auth/sign-in', { method: 'DELETE' })).status, 405);
  });
});

test('outside localhost the cookie requires TLS and this exact host', async (t) => {
  const gateway = await startTestGateway(t, { publicUrl: 'https://platform.example' });
  const { token } = await signInToken(gateway);
  const response = await post(gateway, '/auth/sign-in', { token });
  assert.match(
    response.headers.get('set-cookie') ?? '',
    /^__Host-mp_session=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Strict$/,
  );
  const cookie = cookieIn(response);
  assert.equal((await gateway.call('/v2/me', { headers: { cookie } })).status, 200);
  const session = await gateway.call('/auth/session', { headers: { cookie } });
  assert.equal(session.status, 200);
  const planted = cookie.replace('__Host-', '');
  for (const path of ['/v2/me', '/auth/session']) assert.equal((await gateway.call(path, { headers: { cookie: planted } })).status, 401);
  const out = await post(gateway, '/auth/sign-out', {}, { cookie, 'x-csrf-token': session.data.csrf_token });
  assert.match(out.headers.get('set-cookie') ?? '', /^__Host-mp_session=;.* Path=\/;.* HttpOnly; Secure/);
});
