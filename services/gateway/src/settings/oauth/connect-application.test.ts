import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { refusedGrant, startApplication } from '../../../test/start-application.ts';
import { codeOf } from '../../../test/start-second-factors.ts';

test('users connect applications of others', async (t) => {
  const setting = await startApplication(t);
  const { register, request, consent, decide, connect, refresh, exchange, form, bearer, statusOf, person, call, send, parts } = setting;
  const zap = await register();

  await t.test('an application reads the account of the user who allowed it, within its scopes, until it is disconnected', async () => {
    const { browser, account, user } = await person();
    const { verifier, query } = await request(zap, { scope: 'contacts:read leadpulse:read' });
    const response = await consent(query, browser);
    assert.deepEqual(response.data, {
      application: { name: 'Zap', developer: setting.developer.name, own: false },
      ...{ account: account.name, redirect_uri: setting.redirectUri },
      ...{ scopes: ['contacts:read', 'leadpulse:read'], missing: [] },
    });
    const begun = await call(`/oauth/authorize?${new URLSearchParams(query)}`, { redirect: 'manual' });
    const page = new URL(begun.headers.get('location') ?? '', 'http://localhost');
    assert.deepEqual([begun.status, page.pathname], [302, '/authorize']);
    const passedOn = await call(`/auth/authorization${page.search}`, { headers: browser });
    assert.deepEqual(passedOn.data, response.data);
    const decided = await decide(query, browser);
    const tokens = await exchange(zap, decided.data.redirect_to, verifier);
    assert.deepEqual([tokens.scope, tokens.expires_in], ['contacts:read leadpulse:read', 3_600]);
    const me = await call('/v2/me', { key: bearer(tokens) });
    assert.deepEqual(
      [me.data.id, me.data.type, me.data.name, me.data.permission, me.data.scopes, me.data.account.id],
      [zap.id, 'oauth_client', 'Zap', 'read_only', ['contacts:read', 'leadpulse:read'], account.id],
    );
    assert.equal(await statusOf('/v2/settings/account', tokens), 403, 'not granted');

    const list = await call('/auth/grants', { headers: browser });
    const [grant] = list.data.items;
    assert.deepEqual([grant.application, grant.user.id, grant.scopes], ['Zap', user.id, ['contacts:read', 'leadpulse:read']]);
    assert.equal((await send('POST', '/auth/grants/revoke', { id: grant.id }, { headers: browser })).status, 200);
    assert.equal(await statusOf('/v2/me', tokens), 401);
    await assert.rejects(refresh(zap, tokens.refresh_token ?? ''), refusedGrant);
    const actions = await parts.mongo.db.collection('audit_log').find({ target_id: grant.id }).toArray();
    assert.deepEqual(actions.map(({ action }) => action).sort(), ['oauth_grant.created', 'oauth_grant.revoked']);
  });

  await t.test('a user who declines sends the application back without a code', async () => {
    const { browser } = await person();
    const { query } = await request(zap);
    const decided = await decide(query, browser, false);
    const url = new URL(decided.data.redirect_to);
    assert.deepEqual(
      [url.origin + url.pathname, url.searchParams.get('error'), url.searchParams.get('state'), url.searchParams.get('code')],
      [setting.redirectUri, 'access_denied', 'of-this-browser', null],
    );
  });

  await t.test('an app on a device connects without a secret, on any port of the device, and cannot use another grant', async () => {
    const app = await register({ confidential: false, redirect_uris: ['http://127.0.0.1/callback'] });
    const { browser } = await person();
    const { verifier, query } = await request(app, { redirect_uri: 'http://127.0.0.1:53211/callback' });
    const code = new URL((await decide(query, browser)).data.redirect_to).searchParams.get('code') ?? '';
    const wanted = { grant_type: 'authorization_code', client_id: app.id, code, code_verifier: verifier };
    const elsewhere = await form('/oauth/token', { ...wanted, redirect_uri: 'http://127.0.0.1:1/callback' });
    assert.equal(elsewhere.body.error, 'invalid_grant', 'the port must be that of the request');
    const got = await form('/oauth/token', { ...wanted, redirect_uri: 'http://127.0.0.1:53211/callback' });
    assert.equal(got.status, 200, got.text);
    const own = await form('/oauth/token', { grant_type: 'client_credentials', client_id: app.id });
    assert.equal(own.status, 401, own.text);
  });

  await t.test('a refresh token works once; used again later, it ends the grant; within seconds it is a retry', async () => {
    const { browser } = await person();
    const first = await connect(zap, browser);
    const second = await refresh(zap, first.refresh_token ?? '');
    assert.equal(await statusOf('/v2/me', second), 200);
    const retried = await refresh(zap, first.refresh_token ?? '');
    const third = await refresh(zap, retried.refresh_token ?? '');
    await parts.mongo.db.collection('oauth_grants').updateMany({}, { $set: { last_used_at: new Date(Date.now() - 60_000) } });
    await assert.rejects(refresh(zap, first.refresh_token ?? ''), refusedGrant);
    assert.equal(await statusOf('/v2/me', third), 401, 'all of its tokens have ended');
    await assert.rejects(refresh(zap, third.refresh_token ?? ''), refusedGrant);
  });

  await t.test('the application can disconnect itself', async () => {
    const { browser } = await person();
    const tokens = await connect(zap, browser);
    const wanted = { client_id: zap.id, client_secret: zap.secret, token: tokens.refresh_token ?? '' };
    assert.equal((await form('/oauth/revoke', wanted)).status, 200);
    assert.equal(await statusOf('/v2/me', tokens), 401);
    assert.deepEqual((await call('/auth/grants', { headers: browser })).data.items, []);
  });

  await t.test('an application loses what its user loses: a weaker role, and everything when the user is removed', async () => {
    const { account, browser: owner } = await person();
    const colleague = await person('editor', account);
    const tokens = await connect(zap, colleague.browser);
    const scopes = async () => (await call('/v2/me', { key: bearer(tokens) })).data?.scopes ?? [];
    assert.ok((await scopes()).includes('contacts:write'));
    assert.deepEqual((await call('/auth/grants', { headers: owner })).data.items[0].user.own, false, 'admins see it');
    const changed = await call(`/v2/settings/users/${colleague.user.id}`, {
      ...{ method: 'PUT', body: JSON.stringify({ role: 'viewer' }), headers: { ...owner, 'content-type': 'application/json' } },
    });
    assert.equal(changed.status, 200, changed.text);
    await eventually(async () => ((await scopes()).includes('contacts:write') ? undefined : true));
    const removed = await call(`/v2/settings/users/${colleague.user.id}`, { method: 'DELETE', headers: owner });
    assert.equal(removed.status, 200, removed.text);
    await eventually(async () => ((await statusOf('/v2/me', tokens)) === 401 ? true : undefined));
    await assert.rejects(refresh(zap, tokens.refresh_token ?? ''), refusedGrant);
  });

  await t.test('a viewer cannot give what the role lacks, and nobody gives settings', async () => {
    const admin = await register({ permission: 'admin' });
    const { account, browser: owner } = await person();
    const viewer = await person('viewer', account);
    const { query } = await request(admin, { scope: 'contacts:read contacts:write' });
    const response = await consent(query, viewer.browser);
    assert.deepEqual([response.data.scopes, response.data.missing], [['contacts:read'], ['contacts:write']]);
    const tokens = await connect(admin, viewer.browser, { scope: 'contacts:read contacts:write' });
    assert.equal(tokens.scope, 'contacts:read');
    const beyond = await consent((await request(admin, { scope: 'settings:read' })).query, owner);
    assert.match(beyond.data.redirect_to, /error=invalid_scope/);
    assert.ok(!(await connect(admin, owner)).scope?.includes('settings:'));
  });

  await t.test('it takes a recent proof, as a new key does', async () => {
    const { addTotp, browser, age, post } = await person();
    const { secret } = await addTotp();
    await age(16);
    const { query } = await request(zap);
    assert.equal((await decide(query, browser)).error.code, 'SECOND_FACTOR_REQUIRED');
    assert.equal((await post('/auth/step-up', { code: codeOf(secret) })).status, 200);
    assert.equal((await decide(query, browser)).status, 200);
  });

  await t.test('where an application sends codes, and whether it needs a secret, takes one, too', async () => {
    const { addTotp, browser, age, account } = await person();
    const created = { name: 'Own', permission: 'read_only', redirect_uris: [setting.redirectUri] };
    const own = await send('POST', '/v2/settings/oauth-clients', created, { key: await setting.makeKey({ account }) });
    const change = (body: object) => send('PUT', `/v2/settings/oauth-clients/${own.data.id}`, body, { headers: browser });
    await addTotp();
    await age(16);
    for (const body of [{ redirect_uris: ['https://thief.example/'] }, { confidential: false }]) {
      const refused = await eventually(async () => {
        const response = await change(body);
        return response.status === 403 ? response : undefined;
      });
      assert.equal(refused.error.code, 'SECOND_FACTOR_REQUIRED');
    }
  });

  await t.test('a custom role manages the applications of others only if it manages keys', async () => {
    const { account, browser: owner } = await person();
    await connect(zap, owner);
    const key = await setting.makeKey({ account });
    const ofRole = async (scopes: string[]) => {
      const role = await send('POST', '/v2/settings/roles', { name: scopes.join(), scopes }, { key });
      assert.equal(role.status, 201, role.text);
      const email = `${role.data.id}@example.com`;
      const user = await send('POST', '/v2/settings/users', { email, role: role.data.id }, { key });
      const row = await setting.stores.users.find(account.id, user.data.id);
      assert.ok(row);
      const browser = await setting.signIn(account, row);
      return (await call('/auth/grants', { headers: browser })).data.items.length;
    };
    assert.equal(await ofRole(['webhooks:write']), 0);
    assert.equal(await ofRole(['settings:keys']), 1);
  });
});
