import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scope } from '@mp/contracts/permissions';
import { startTestGateway } from '../../test/start-test-gateway.ts';
import { secretHash } from './secret-hash.ts';
import { currentScopes } from './stored-scopes.ts';

test('scopes of an earlier release include those that were separated since, and no others', () => {
  const before = (...scopes: Scope[]) => currentScopes({ scopes }).scopes;
  assert.deepEqual(before('contacts:read'), ['contacts:read', 'contacts:export']);
  assert.deepEqual(before('contacts:write', 'workflows:write'), [
    'contacts:write',
    'contacts:erase',
    'workflows:write',
    'workflows:activate',
  ]);
  assert.deepEqual(before('settings:write'), ['settings:write', 'settings:keys']);
  assert.deepEqual(before('campaigns:write'), ['campaigns:write'], 'sending always had a scope of its own');
  assert.equal(currentScopes({ scopes: null }).scopes, null);
  assert.deepEqual(currentScopes({ scopes: ['contacts:read'], scopes_version: 2 }).scopes, ['contacts:read']);
});

test('a key, a client and a token stored by an earlier release keep what they could do; new ones name the scopes', async (t) => {
  const { call, send, makeKey, makeAccount, parts, stores } = await startTestGateway(t);
  const account = await makeAccount();
  const admin = await makeKey({ account });
  /** As the earlier release stored it. */
  const asBefore = async (collection: string, id: string) =>
    parts.mongo.db.collection<{ _id: string }>(collection).updateOne({ _id: id }, { $unset: { scopes_version: 1 } });
  const newKey = { name: 'x', permission: 'read_only', scopes: ['contacts:read'] };
  const create = async (key: { authorization: string }) => (await send('POST', '/v2/settings/api-keys', newKey, { key })).status;

  const [old, young] = [
    await makeKey({ account, scopes: ['settings:write', 'contacts:read'] }),
    await makeKey({ account, scopes: ['settings:write'] }),
  ];
  await asBefore('api_keys', old.key.id);
  assert.equal(await create(old), 201);
  assert.equal(await create(young), 403);
  assert.equal((await send('PUT', '/v2/settings/account', { name: 'Acme' }, { key: young })).status, 200);
  const expanded = ['settings:write', 'settings:keys', 'contacts:read', 'contacts:export'];
  const shown = await call(`/v2/settings/api-keys/${old.key.id}`, { key: admin });
  assert.deepEqual(shown.data.scopes, expanded);
  assert.deepEqual((await call('/v2/me', { key: old })).data.scopes, expanded);

  const rotated = await send('POST', `/v2/settings/api-keys/${old.key.id}/rotate`, {}, { key: admin });
  assert.deepEqual(rotated.data.scopes, expanded);
  const narrowed = await send('PUT', `/v2/settings/api-keys/${old.key.id}`, { scopes: ['settings:write'] }, { key: admin });
  assert.deepEqual(narrowed.data.scopes, ['settings:write'], 'a scope that is named now stays alone');
  assert.equal(await create(old), 403);

  const { data: client } = await send('POST', '/v2/settings/oauth-clients', newKey, { key: admin });
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: client.id, client_secret: client.client_secret });
  form.set('scope', 'contacts:read');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const token: string = (await call('/oauth/token', { method: 'POST', headers, body: form.toString() })).body.access_token;
  await asBefore('oauth_clients', client.id);
  await asBefore('oauth_tokens', secretHash(token));
  assert.deepEqual((await call('/v2/me', { key: { authorization: `Bearer ${token}` } })).data.scopes, ['contacts:read', 'contacts:export']);
  assert.deepEqual((await stores.oauthClients.find(account.id, client.id))?.scopes, ['contacts:read', 'contacts:export']);
});

test('an Admin key stored by an earlier release counts as one that can manage keys', async (t) => {
  const { send, makeKey, makeAccount, parts } = await startTestGateway(t);
  const account = await makeAccount();
  const [last, other] = [await makeKey({ account }), await makeKey({ account, scopes: ['settings:write'] })];
  const revoke = async () => (await send('POST', `/v2/settings/api-keys/${last.key.id}/revoke`, {}, { key: last })).status;
  assert.equal(await revoke(), 409, 'the other key cannot manage keys');
  await parts.mongo.db.collection<{ _id: string }>('api_keys').updateOne({ _id: other.key.id }, { $unset: { scopes_version: 1 } });
  assert.equal(await revoke(), 200);
});
