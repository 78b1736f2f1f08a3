import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CredentialChanged, CredentialRevoked } from '@mp/contracts/events/platform';
import { scopes as everyScope, requiresAdmin } from '@mp/contracts/permissions';
import { eventually } from '@mp/test-kit/eventually';
import { listenToEvents } from '@mp/test-kit/wait-for-event';
import * as oauth from 'oauth4webapi';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { secretHash } from '../../credentials/secret-hash.ts';
import { newSecret } from '../../credentials/token-format.ts';

const publicUrl = 'https://platform.example';

test('OAuth 2.0', async (t) => {
  const events = await listenToEvents(t);
  const clock: { ahead: number; stopped?: number } = { ahead: 0 };
  const gateway = await startTestGateway(t, { live: true, publicUrl, now: () => clock.stopped ?? Date.now() + clock.ahead });
  const { call, send, makeKey, makeAccount, stores } = gateway;
  const account = await makeAccount('starter');
  const admin = await makeKey({ account });

  /** Makes oauth4webapi use the public URL. */
  const customFetch = (address: string, init: object) => fetch(address.replace(publicUrl, gateway.url), init);
  const through = { [oauth.customFetch]: customFetch };
  const issuer = new URL(publicUrl);
  const discover = async () =>
    oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...through, algorithm: 'oauth2' }));
  const server = await discover();

  const makeClient = async (body: object = {}, key = admin) => {
    const { status, data, text } = await send(
      'POST',
      '/v2/settings/oauth-clients',
      { name: 'App', permission: 'read_write', ...body },
      { key },
    );
    assert.equal(status, 201, text);
    return { ...data, client: { client_id: data.id }, secret: data.client_secret };
  };
  type Made = Awaited<ReturnType<typeof makeClient>>;
  const requestToken = (made: Made, scope?: string, by = oauth.ClientSecretBasic) =>
    oauth.clientCredentialsGrantRequest(
      server,
      made.client,
      by(made.secret),
      new URLSearchParams(scope === undefined ? {} : { scope }),
      through,
    );
  const token = async (made: Made, scope?: string, by = oauth.ClientSecretBasic) => {
    const response = await oauth.processClientCredentialsResponse(server, made.client, await requestToken(made, scope, by));
    return { ...response, authorization: `Bearer ${response.access_token}` };
  };
  /** A request without a client library. */
  const form = (path: string, body: string | Record<string, string>, headers: Record<string, string> = {}) =>
    call(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
  });
  const refused = (response: Awaited<ReturnType<typeof call>>, status: number, error: string) => {
    assert.equal(response.status, status, response.text);
    assert.equal(response.body.error, error);
    assert.match(response.body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]{10,}$/);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('pragma'), 'no-cache');
  };

  await t.test('the metadata document has the endpoints and methods', async () => {
    assert.equal(server.issuer, publicUrl);
    assert.equal(server.token_endpoint, `${publicUrl}/oauth/token`);
    assert.deepEqual(server.grant_types_supported, ['client_credentials', 'authorization_code', 'refresh_token']);
    assert.deepEqual(server.code_challenge_methods_supported, ['S256']);
    assert.deepEqual(server.scopes_supported, everyScope);
    assert.equal((await call('/.well-known/other')).status, 404);
  });

  await t.test('a client gets a token by Basic and by the form, and the token works', async () => {
    const made = await makeClient();
    assert.match(made.secret, /^mp_cs_[0-9A-Za-z]{49}$/);
    for (const by of [oauth.ClientSecretBasic, oauth.ClientSecretPost]) {
      const { access_token, token_type, expires_in, scope, authorization } = await token(made, undefined, by);
      assert.match(access_token, /^mp_at_[0-9A-Za-z]{49}$/);
      assert.deepEqual([token_type, expires_in], ['bearer', 3_600]);
      assert.deepEqual(
        scope?.split(' '),
        everyScope.filter((name) => !requiresAdmin(name)),
      );
      const me = await call('/v2/me', { key: { authorization } });
      assert.deepEqual(
        [me.data.id, me.data.type, me.data.name, me.data.permission, me.data.scopes],
        [made.id, 'oauth_client', 'App', 'read_write', null],
      );
      assert.equal((await call('/v2/settings/account', { key: { authorization } })).status, 403);
    }
  });

  await t.test('neither secret nor token is stored, not even for a replay', async () => {
    const options = { key: admin, headers: { 'idempotency-key': 'client' } };
    const create = () => send('POST', '/v2/settings/oauth-clients', { name: 'Once', permission: 'read_only' }, options);
    const [first, second] = [await create(), await create()];
    assert.equal(first.data.client_secret, second.data.client_secret);
    const made = { ...first.data, client: { client_id: first.data.id }, secret: first.data.client_secret };
    const { access_token } = await token(made);
    const stored = await gateway.everythingStored();
    for (const secret of [made.secret, access_token]) assert.ok(!stored.includes(secret.slice(6, -6)));
    const shown = await call(`/v2/settings/oauth-clients/${made.id}`, { key: admin });
    assert.equal(shown.data.client_secret, undefined);
    assert.equal(shown.data.secrets[0].last4, made.secret.slice(-4));
  });

  await t.test('a token has only the requested scopes that its client still has', async () => {
    const made = await makeClient({ scopes: ['contacts:read', 'contacts:write'] });
    const narrow = await token(made, 'contacts:read');
    const wide = await token(made);
    assert.deepEqual([narrow.scope, wide.scope], ['contacts:read', 'contacts:read contacts:write']);
    const write = (key: { authorization: string }) => send('POST', '/v2/contacts', {}, { key });
    assert.deepEqual([(await write(narrow)).status, (await write(wide)).status], [403, 200]);
    const changed = await send('PUT', `/v2/settings/oauth-clients/${made.id}`, { scopes: ['contacts:read'] }, { key: admin });
    assert.equal(changed.status, 200, changed.text);
    assert.equal((await write(wide)).status, 403);
    assert.equal((await call('/v2/contacts', { key: wide })).status, 200);
    const read = await makeClient({ permission: 'read_only' });
    for (const scope of ['contacts:write', 'settings:read', 'nonsense', 'contacts:read nonsense']) {
      const response = await oauth
        .processClientCredentialsResponse(server, read.client, await requestToken(read, scope))
        .catch((error: unknown) => error);
      assert.ok(response instanceof oauth.ResponseBodyError, scope);
      assert.equal(response.error, 'invalid_scope');
    }
  });

  await t.test('tokens count against the quota of the account, as keys do', async () => {
    const own = await makeAccount('enterprise', 2);
    const made = await makeClient({}, await makeKey({ account: own }));
    const key = await makeKey({ account: own });
    const held = await token(made);
    const used = async () => (await stores.usage.used(own.id, new Date().toISOString().slice(0, 10))) ?? 0;
    // Creating the client was one of the two.
    assert.equal((await call('/v2/contacts', { key: held })).status, 200);
    assert.equal((await call('/v2/contacts', { key })).error.code, 'QUOTA_EXCEEDED');
    assert.equal((await call('/v2/contacts', { key: held })).error.code, 'QUOTA_EXCEEDED');
    assert.equal(await used(), 2);
  });

  await t.test('a revoked token stops working on every gateway; revoking anything else has no effect', async () => {
    const [made, other] = [await makeClient(), await makeClient()];
    const held = await token(made);
    assert.equal((await call('/v2/me', { key: held })).status, 200);
    const revoke = async (by: Made, text: string) =>
      oauth.processRevocationResponse(await oauth.revocationRequest(server, by.client, oauth.ClientSecretBasic(by.secret), text, through));
    await revoke(other, held.access_token);
    await revoke(made, 'unknown');
    await revoke(made, newSecret('token'));
    assert.equal((await call('/v2/me', { key: held })).status, 200);
    await revoke(made, held.access_token);
    assert.equal((await call('/v2/me', { key: held })).status, 401);
    await revoke(made, held.access_token);
    const event = await events.next(CredentialRevoked, ({ data }) => data.hash === secretHash(held.access_token));
    assert.equal(event.data.key_id, made.id);
  });

  await t.test('a revoked client and its tokens stop working on every gateway', async () => {
    const made = await makeClient();
    const held = [await token(made), await token(made, 'contacts:read')];
    for (const key of held) assert.equal((await call('/v2/me', { key })).status, 200);
    const revoked = await send('POST', `/v2/settings/oauth-clients/${made.id}/revoke`, {}, { key: admin });
    assert.deepEqual([revoked.status, revoked.data.status, revoked.data.secrets], [200, 'revoked', []]);
    for (const key of held) assert.equal((await call('/v2/me', { key })).status, 401);
    refused(await form('/oauth/token', { grant_type: 'client_credentials' }, basic(made.id, made.secret)), 401, 'invalid_client');
    await events.next(CredentialChanged, ({ data }) => data.credential_id === made.id);
    assert.equal((await send('POST', `/v2/settings/oauth-clients/${made.id}/revoke`, {}, { key: admin })).status, 409);
    assert.equal((await send('PUT', `/v2/settings/oauth-clients/${made.id}`, { name: 'x' }, { key: admin })).status, 409);
  });

  await t.test('applies changes made through another gateway', async () => {
    const made = await makeClient();
    const held = await token(made);
    assert.equal((await call('/v2/me', { key: held })).status, 200);
    const client = await stores.oauthClients.find(account.id, made.id);
    assert.ok(client);
    await gateway.parts.mongo.transaction({ correlationId: 'elsewhere', causationId: null }, (tx) =>
      stores.oauthClients.update(tx, { ...client, revoked_at: new Date() }),
    );
    await eventually(async () => (await call('/v2/me', { key: held })).status === 401);
  });

  await t.test('a secret is rotated with a grace period, one rotation at a time', async () => {
    const made = await makeClient();
    const rotate = (grace_seconds: number) =>
      send('POST', `/v2/settings/oauth-clients/${made.id}/rotate`, { grace_seconds }, { key: admin });
    const { data } = await rotate(600);
    assert.equal(data.secrets.length, 2);
    const fresh = { ...made, secret: data.client_secret };
    for (const each of [made, fresh]) assert.ok((await token(each)).access_token);
    assert.deepEqual([(await rotate(600)).status, (await rotate(0)).status], [409, 409]);
    await gateway.parts.mongo.db
      .collection<{ _id: string }>('oauth_clients')
      .updateOne({ _id: made.id }, { $set: { 'secrets.0.expires_at': new Date(Date.now() - 1) } });
    refused(await form('/oauth/token', { grant_type: 'client_credentials' }, basic(made.id, made.secret)), 401, 'invalid_client');
    const last = await rotate(0);
    assert.equal(last.data.secrets.length, 1);
    refused(await form('/oauth/token', { grant_type: 'client_credentials' }, basic(made.id, fresh.secret)), 401, 'invalid_client');
  });

  await t.test('a token expires after an hour', async () => {
    const held = await token(await makeClient());
    assert.equal((await call('/v2/me', { key: held })).status, 200);
    clock.ahead = 3_601_000;
    const response = await call('/v2/me', { key: held });
    assert.equal(response.status, 401);
    assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="marketing-platform", error="invalid_token"');
    clock.ahead = 0;
  });

  await t.test('errors follow RFC 6749', async () => {
    const made = await makeClient();
    const auth = basic(made.id, made.secret);
    const grant = { grant_type: 'client_credentials' };
    refused(await form('/oauth/token', {}, auth), 400, 'invalid_request');
    refused(await form('/oauth/token', { grant_type: 'password' }, auth), 400, 'unsupported_grant_type');
    refused(await form('/oauth/token', 'grant_type=client_credentials&grant_type=client_credentials', auth), 400, 'invalid_request');
    refused(await form('/oauth/token', { ...grant, client_secret: made.secret }, auth), 400, 'invalid_request');
    refused(await form('/oauth/token', { ...grant, client_id: 'client_other' }, auth), 400, 'invalid_request');
    refused(await form('/oauth/revoke', {}, auth), 400, 'invalid_request');
    for (const body of ['{"grant_type":"client_credentials"}', '{', 'grant_type']) {
      refused(await form('/oauth/token', body, { ...auth, 'content-type': 'application/json' }), 400, 'invalid_request');
    }
    refused(await form('/oauth/token', grant, { ...auth, 'content-type': 'text/plain' }), 400, 'invalid_request');
    for (const wrong of [basic(made.id, 'wrong'), basic('client_unknown', made.secret), { authorization: 'Basic !' }, {}]) {
      const response = await form('/oauth/token', grant, wrong);
      refused(response, 401, 'invalid_client');
      assert.equal(response.headers.get('www-authenticate'), 'Basic realm="marketing-platform"');
    }
    refused(await form('/oauth/revoke', { token: 'x' }), 401, 'invalid_client');
    refused(await form('/oauth/token', { ...grant, client_id: made.id, client_secret: made.secret, scope: ' ' }), 400, 'invalid_scope');
    assert.equal((await form('/oauth/token', { ...grant, client_id: made.id, client_secret: made.secret, scope: '' })).status, 200);
    assert.equal((await call('/oauth/token')).status, 405);
  });

  await t.test('a suspended account, a forbidden address and a burst get no token', async () => {
    const own = await makeAccount('starter');
    const key = await makeKey({ account: own });
    const [made, elsewhere] = [await makeClient({}, key), await makeClient({ ip_allow: ['192.0.2.1'] }, key)];
    const grant = { grant_type: 'client_credentials' };
    const get = ({ id, secret }: Made) => form('/oauth/token', grant, basic(id, secret));
    refused(await get(elsewhere), 400, 'unauthorized_client');
    clock.stopped = Date.now();
    const many = await Promise.all(Array.from({ length: 120 }, () => get(made)));
    const limited = many.find(({ status }) => status === 429);
    assert.ok(limited);
    refused(limited, 429, 'temporarily_unavailable');
    assert.equal(limited.headers.get('retry-after'), '1');
    delete clock.stopped;
    await gateway.parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
      stores.accounts.update(tx, own.id, { status: 'suspended' }),
    );
    refused(await get(made), 400, 'unauthorized_client');
  });

  await t.test('a client cannot exceed its creator, and is invisible to other accounts', async () => {
    const narrow = await makeKey({ account, scopes: ['settings:write', 'settings:keys', 'contacts:read'] });
    const wide = await send('POST', '/v2/settings/oauth-clients', { name: 'x', permission: 'read_only' }, { key: narrow });
    assert.deepEqual([wide.status, wide.error.code], [403, 'FORBIDDEN']);
    const made = await makeClient({ scopes: ['contacts:read'] }, narrow);
    const stranger = await makeKey();
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['POST', '/rotate'],
      ['POST', '/revoke'],
    ] as const) {
      assert.equal((await send(method, `/v2/settings/oauth-clients/${made.id}${path}`, {}, { key: stranger })).status, 404);
    }
    const { data } = await call('/v2/settings/oauth-clients?limit=1', { key: admin });
    assert.deepEqual([data.items.length, data.items[0].id, data.pagination.has_more], [1, made.id, true]);
    const token_ = await token(await makeClient({ permission: 'admin', scopes: ['settings:read', 'settings:write', 'settings:keys'] }));
    const raised = await send('POST', '/v2/settings/api-keys', { name: 'x', permission: 'admin' }, { key: token_ });
    assert.equal(raised.status, 403, 'a token cannot create a key with more privileges');
  });

  await t.test('wrong secrets are limited per address', async () => {
    const guess = () =>
      form('/oauth/token', { grant_type: 'client_credentials', client_id: 'client_x', client_secret: newSecret('clientSecret') });
    let response = await guess();
    for (let index = 0; index < 110 && response.status === 401; index += 1) response = await guess();
    refused(response, 429, 'temporarily_unavailable');
    assert.ok(Number(response.headers.get('retry-after')) > 1);
  });
});
