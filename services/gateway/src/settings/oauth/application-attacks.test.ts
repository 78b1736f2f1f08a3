import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextHeader, verifyContext } from '@mp/contracts/context';
import { eventually } from '@mp/test-kit/eventually';
import { refusedGrant, startApplication } from '../../../test/start-application.ts';

test('attacks on connected applications fail', async (t) => {
  const setting = await startApplication(t);
  const {
    register,
    request,
    consent,
    reply: respond,
    decide,
    exchange,
    connect,
    refresh,
    form,
    bearer,
    statusOf,
    person,
    call,
    send,
    parts,
  } = setting;
  const zap = await register();
  const thief = await register({ name: 'Thief', redirect_uris: ['https://thief.example/'] });
  const codeFrom = (redirectTo: string) => new URL(redirectTo).searchParams.get('code') ?? '';

  await t.test('nobody is redirected to an address that the application has not registered, whatever else is wrong', async () => {
    const { browser } = await person();
    for (const redirect_uri of [
      'https://thief.example/',
      `${setting.redirectUri}/`,
      `${setting.redirectUri}?next=https://thief.example`,
      setting.redirectUri.replace('https', 'http'),
      'javascript:alert(1)',
      'http://127.0.0.1/callback',
    ]) {
      const { query } = await request(zap, { redirect_uri, response_type: 'token' });
      for (const response of [await consent(query, browser), await decide(query, browser), await decide(query, browser, false)]) {
        assert.equal(response.status, 400, redirect_uri);
        assert.ok(!response.text.includes('redirect_to'));
      }
    }
    assert.equal((await consent((await request({ ...zap, id: 'client_unknown' })).query, browser)).status, 400);
  });

  await t.test('redirect URIs that run code or name a user are refused', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'http://app.example/',
      'https://a@app.example/',
      'https://app.example/#x',
      'myapp:/x',
    ]) {
      const body = { name: 'App', permission: 'read_only', redirect_uris: [uri] };
      const response = await send('POST', '/v2/settings/oauth-clients', body, { key: setting.key });
      assert.deepEqual([response.status, response.error.code], [400, 'VALIDATION_ERROR'], uri);
    }
    await register({ redirect_uris: ['com.example.app:/callback', 'http://[::1]:8000/x', 'http://localhost/x'] });
  });

  await t.test('a request without PKCE, or with its plain method, gets no code', async () => {
    const { browser } = await person();
    for (const parameters of [{ code_challenge_method: 'plain' }, { code_challenge: '' }, { code_challenge: 'short' }]) {
      const { query } = await request(zap, parameters);
      assert.match((await decide(query, browser)).data.redirect_to, /error=invalid_request/);
    }
  });

  await t.test('a parameter that is given twice is refused, whichever of the two was checked', async () => {
    const { browser } = await person();
    const { query } = await request(zap);
    const twice = `${new URLSearchParams(query)}&redirect_uri=https://thief.example/`;
    const response = await call(`/auth/authorization?request=${Buffer.from(twice).toString('base64url')}`, { headers: browser });
    assert.deepEqual([response.status, response.error.details[0].path], [400, '/redirect_uri']);
  });

  await t.test('another site cannot decide for the user, and a signed-out visitor learns nothing', async () => {
    const { browser } = await person();
    const { query } = await request(zap);
    assert.equal((await decide(query, { cookie: browser.cookie ?? '' })).status, 403);
    assert.equal((await decide(query, { ...browser, origin: 'https://thief.example' })).status, 403);
    assert.equal((await consent(query, {})).status, 401);
  });

  await t.test('a stolen code is worth nothing without the verifier, to another application, and after its minute', async () => {
    const { browser, user } = await person();
    const { verifier, query } = await request(zap);
    const code = codeFrom((await decide(query, browser)).data.redirect_to);
    const wanted = { grant_type: 'authorization_code', code, redirect_uri: setting.redirectUri, code_verifier: verifier };
    const own = { client_id: zap.id, client_secret: zap.secret };
    for (const [body, status] of [
      [{ ...wanted, ...own, code_verifier: 'x'.repeat(43) }, 400],
      [{ ...wanted, ...own, redirect_uri: 'https://thief.example/' }, 400],
      [{ ...wanted, client_id: thief.id, client_secret: thief.secret }, 400],
      [{ ...wanted, client_id: zap.id }, 401],
    ] as const) {
      assert.equal((await form('/oauth/token', body)).status, status);
    }
    await parts.mongo.db.collection('oauth_codes').updateMany({ user_id: user.id }, { $set: { expires_at: new Date(Date.now() - 1) } });
    assert.equal((await form('/oauth/token', { ...wanted, ...own })).body.error, 'invalid_grant');
    assert.deepEqual((await call('/auth/grants', { headers: browser })).data.items, []);
  });

  await t.test('a code that is exchanged twice, even at once, ends the grant', async () => {
    const { browser } = await person();
    const { verifier, query } = await request(zap);
    const { redirect_to } = (await decide(query, browser)).data;
    const both = await Promise.allSettled([exchange(zap, redirect_to, verifier), exchange(zap, redirect_to, verifier)]);
    const [tokens, ...more] = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.ok(tokens && more.length === 0, 'exactly one was exchanged');
    await eventually(async () => ((await statusOf('/v2/me', tokens)) === 401 ? true : undefined));
    await assert.rejects(refresh(zap, tokens.refresh_token ?? ''), refusedGrant);
  });

  await t.test('a refresh token is worth nothing to another application', async () => {
    const { browser } = await person();
    const tokens = await connect(zap, browser);
    await assert.rejects(refresh(thief, tokens.refresh_token ?? ''), refusedGrant);
    const revoke = { token: tokens.refresh_token ?? '', client_id: thief.id, client_secret: thief.secret };
    assert.equal((await form('/oauth/revoke', revoke)).status, 200);
    assert.equal(await statusOf('/v2/me', tokens), 200);
  });

  await t.test('an account ends only its own grants, and an editor only their own', async () => {
    const ada = await person();
    await connect(zap, ada.browser);
    const [grant] = (await call('/auth/grants', { headers: ada.browser })).data.items;
    const editor = await person('editor', ada.account);
    for (const { browser } of [await person(), editor]) {
      assert.equal((await send('POST', '/auth/grants/revoke', { id: grant.id }, { headers: browser })).status, 404);
      assert.deepEqual((await call('/auth/grants', { headers: browser })).data.items, []);
    }
  });

  await t.test('a revoked application, and one of a suspended account, has no access', async () => {
    const app = await register();
    const { browser } = await person();
    const tokens = await connect(app, browser);
    const revoked = await send('POST', `/v2/settings/oauth-clients/${app.id}/revoke`, {}, { key: setting.key });
    assert.equal(revoked.status, 200, revoked.text);
    await eventually(async () => ((await statusOf('/v2/me', tokens)) === 401 ? true : undefined));
    await assert.rejects(refresh(app, tokens.refresh_token ?? ''));
    assert.equal((await consent((await request(app)).query, browser)).status, 400);
  });

  await t.test('an application is no stronger than a viewer who connects it, nor than a client that only reads', async () => {
    const { account, browser: owner } = await person();
    const viewer = await person('viewer', account);
    const reader = await register({ permission: 'read_only' });
    for (const tokens of [await connect(zap, viewer.browser), await connect(reader, owner)]) {
      const me = await call('/v2/me', { key: bearer(tokens) });
      assert.equal(me.data.permission, 'read_only', 'so that contacts:export only downloads');
      const exported = await send('POST', '/v2/contacts/exports', {}, { key: bearer(tokens) });
      assert.equal(exported.status, 403, exported.text);
    }
  });

  await t.test('nobody gives what takes the permission admin, such as where the data of the account is sent', async () => {
    const admin = await register({ permission: 'admin' });
    const { browser } = await person();
    const { scope } = await connect(admin, browser);
    assert.ok(scope?.includes('webhooks:read') && !scope.includes('webhooks:write') && !scope.includes('settings:'), scope);
  });

  await t.test(
    'an application sends no more than its user may: the limits of the role reach the services, and follow the role',
    async () => {
      const { account } = await person();
      const key = await setting.makeKey({ account });
      const scopes = ['contacts:read', 'campaigns:read', 'campaigns:send'];
      const sending_limits = { topics: ['news'], senders: null };
      const role = await send('POST', '/v2/settings/roles', { name: 'Newsletter', scopes, sending_limits }, { key });
      const invited = await send('POST', '/v2/settings/users', { email: 'ann@example.com', role: role.data.id }, { key });
      const ann = await setting.stores.users.find(account.id, invited.data.id);
      assert.ok(ann);
      const tokens = await connect(zap, await setting.signIn(account, ann), { scope: scopes.join(' ') });
      const limits = async () => (await call('/v2/me', { key: bearer(tokens) })).data.sending_limits;
      assert.deepEqual(await limits(), sending_limits);
      assert.equal(await statusOf('/v2/contacts', tokens), 200);
      const [header] = [setting.service.seen.at(-1)?.headers[contextHeader]].flat();
      const context = verifyContext(parts.contextKeys, header, { method: 'GET', path: '/v2/contacts', now: Date.now() });
      assert.deepEqual(context?.sending_limits, sending_limits);
      const narrower = { topics: [], senders: null };
      await send('PUT', `/v2/settings/roles/${role.data.id}`, { sending_limits: narrower }, { key });
      await eventually(async () => ((await limits())?.topics?.length === 0 ? true : undefined));
    },
  );

  await t.test('an application cannot get a secret that still works after it is disconnected; a key can', async () => {
    const { browser, account } = await person();
    const tokens = await connect(zap, browser, { scope: 'campaigns:write' });
    const refused = await send('POST', '/v2/campaigns/providers', {}, { key: bearer(tokens) });
    assert.deepEqual([refused.status, refused.error.code], [403, 'FORBIDDEN']);
    assert.match(refused.error.message, /still works after it is disconnected/);
    const key = await setting.makeKey({ account, permission: 'read_write', scopes: ['campaigns:write'] });
    assert.equal((await send('POST', '/v2/campaigns/providers', {}, { key })).status, 200);
  });

  await t.test('an application that asks for more while its user reads gets only what the user saw', async () => {
    const app = await register({ scopes: ['contacts:read'] });
    const { browser } = await person();
    const { verifier, query } = await request(app);
    const { scopes } = (await consent(query, browser)).data;
    const wider = await send('PUT', `/v2/settings/oauth-clients/${app.id}`, { scopes: null }, { key: setting.key });
    assert.equal(wider.status, 200, wider.text);
    const { redirect_to } = (await respond(query, browser, { scopes })).data;
    assert.equal((await exchange(app, redirect_to, verifier)).scope, 'contacts:read');
    assert.equal((await respond(query, browser, { scopes: [] })).status, 400);
  });

  await t.test('a code that was sent to an address which is no longer registered is worth nothing', async () => {
    const app = await register();
    const { browser } = await person();
    const { verifier, query } = await request(app);
    const { redirect_to } = (await decide(query, browser)).data;
    const moved = { redirect_uris: ['https://new.example/'] };
    assert.equal((await send('PUT', `/v2/settings/oauth-clients/${app.id}`, moved, { key: setting.key })).status, 200);
    await assert.rejects(exchange(app, redirect_to, verifier), refusedGrant);
  });

  await t.test('a refresh token that was copied in time for a retry ends the grant when the other copy is used', async () => {
    const { browser } = await person();
    const first = await connect(zap, browser);
    const own = await refresh(zap, first.refresh_token ?? '');
    const copied = await refresh(zap, first.refresh_token ?? '');
    await assert.rejects(refresh(zap, own.refresh_token ?? ''), refusedGrant);
    await assert.rejects(refresh(zap, copied.refresh_token ?? ''), refusedGrant);
    assert.equal(await statusOf('/v2/me', copied), 401);
  });

  await t.test('however often an application refreshes, its grant has few access tokens, so that it can always be ended', async () => {
    const { browser, user } = await person();
    const first = await connect(zap, browser);
    let last = first;
    for (let times = 0; times < 12; times += 1) last = await refresh(zap, last.refresh_token ?? '');
    const grant = await parts.mongo.db.collection<{ _id: string; user_id: string }>('oauth_grants').findOne({ user_id: user.id });
    assert.ok(grant);
    assert.equal(await parts.mongo.db.collection('oauth_tokens').countDocuments({ grant_id: grant._id }), 10);
    assert.deepEqual([await statusOf('/v2/me', first), await statusOf('/v2/me', last)], [401, 200]);
  });

  await t.test('a user connects a limited number of applications, and is told so before the application is', async () => {
    const { browser, user, account } = await person();
    const { verifier, query } = await request(zap);
    const { redirect_to } = (await decide(query, browser)).data;
    const grants = parts.mongo.db.collection<{ _id: string }>('oauth_grants');
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...{ _id: `grant_${user.id}${index}`, account_id: account.id, user_id: user.id, client_id: zap.id, scopes: [] },
      ...{ hashes: [`${user.id}${index}`], created_at: new Date(), last_used_at: new Date(), expires_at: new Date(Date.now() + 60_000) },
    }));
    await grants.insertMany(many);
    const refused = await decide(query, browser);
    assert.deepEqual([refused.status, refused.error?.code], [403, 'PLAN_LIMIT_EXCEEDED'], refused.text);
    const code = codeFrom(redirect_to);
    const late = await form('/oauth/token', {
      ...{ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: setting.redirectUri },
      ...{ client_id: zap.id, client_secret: zap.secret },
    });
    assert.equal(late.body.error, 'invalid_grant');
    assert.match(late.body.error_description, /100 applications/);
  });

  await t.test('no secret is stored in the clear', async () => {
    const { browser } = await person();
    const tokens = await connect(zap, browser);
    const stored = await setting.everythingStored();
    for (const secret of [tokens.access_token, tokens.refresh_token ?? '']) assert.ok(!stored.includes(secret.slice(6, -6)));
  });
});
