import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../test/start-test-gateway.ts';
import { newOwner } from '../settings/users/user.ts';
import { newSecret } from './token-format.ts';

const maxMisses = 100;

test('an address that sent a hundred wrong credentials in a minute', async (t) => {
  const clock = { now: Date.now() };
  const { call, send, makeKey, makeAccount, signIn, stores } = await startTestGateway(t, { now: () => clock.now });
  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
  const me = (headers: Record<string, string>) => call('/v2/me', { headers });
  const token = (id: string, secret: string) =>
    call('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
    });
  const admin = await makeKey();
  const made = await send('POST', '/v2/settings/oauth-clients', { name: 'App', permission: 'read_write' }, { key: admin });
  const access = (await token(made.data.id, made.data.client_secret)).body.access_token;
  const browser = await signIn(await makeAccount());

  await t.test('malformed credentials are neither looked up nor counted', async () => {
    const key = newSecret('key');
    for (let index = 0; index <= maxMisses; index += 1) {
      for (const text of ['wrong', `${key.slice(0, -1)}!`, `${key.slice(0, -2)}00`, newSecret('clientSecret')])
        assert.equal((await me(bearer(text))).status, 401);
      assert.equal((await me({ cookie: `mp_session=${key}` })).status, 401);
      assert.equal((await token(made.data.id, 'wrong')).status, 401);
    }
    assert.equal((await me(bearer(newSecret('key')))).status, 401, 'not 429: none of them was counted');
  });

  await t.test('further wrong credentials get 429 with Retry-After', async () => {
    for (let index = 0; index < maxMisses; index += 1) await me(bearer(newSecret('key')));
    const response = await me(bearer(newSecret('key')));
    assert.deepEqual([response.status, response.error.code], [429, 'RATE_LIMITED']);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    assert.equal((await me(bearer(newSecret('token')))).status, 429);
    assert.equal((await token(made.data.id, newSecret('clientSecret'))).status, 429);
    assert.equal((await me({ cookie: `mp_session=${newSecret('session')}` })).status, 429);
  });

  await t.test('valid keys, tokens, clients and sessions keep working, whether or not they are cached', async () => {
    const cold = await makeKey();
    for (const headers of [bearer(cold.text), bearer(admin.text), bearer(access), browser]) assert.equal((await me(headers)).status, 200);
    assert.equal((await call('/auth/session', { headers: browser })).status, 200);
    const fresh = await token(made.data.id, made.data.client_secret);
    assert.equal(fresh.status, 200);
    assert.equal((await me(bearer(fresh.body.access_token))).status, 200);
    clock.now += 11_000;
    assert.equal((await me(bearer(cold.text))).status, 200, 'even if the cached entry is too old');
  });

  await t.test('wrong keys do not prevent signing in', async () => {
    const owner = await stores.users.ensureOwner(newOwner((await makeAccount()).id));
    assert.equal((await send('POST', '/auth/sign-in', { token: await stores.signInLinks.make(owner) })).status, 200);
  });
});
