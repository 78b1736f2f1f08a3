import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextHeader, verifyContext } from '@mp/contracts/context';
import { contextKeys } from '@mp/test-kit/test-parts';
import { startTestGateway } from '../../test/start-test-gateway.ts';
import { invitedUser } from '../settings/users/user.ts';

test('services learn which user is behind a key or OAuth client, however many keys and clients are between', async (t) => {
  const { service, parts, stores, makeAccount, signIn, send, call } = await startTestGateway(t);
  const account = await makeAccount();
  const person = async (email: string) => {
    const user = invitedUser(account.id, { email, role: 'admin' });
    await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => stores.users.insert(tx, user));
    return { id: user.id, headers: await signIn(account, user) };
  };
  const [ada, bea] = [await person('ada@example.com'), await person('bea@example.com')];
  type Caller = { headers: Record<string, string> };
  const bearer = (text: string): Caller => ({ headers: { authorization: `Bearer ${text}` } });
  const made = async (path: string, caller: Caller, body: object = { name: 'x', permission: 'admin' }) => {
    const response = await send('POST', `/v2/settings/${path}`, body, caller);
    assert.ok(response.status < 300, response.text);
    return response.data;
  };
  const keyOf = async (caller: Caller) => bearer((await made('api-keys', caller)).key);
  async function tokenOf({ id, client_secret }: { id: string; client_secret: string }) {
    const form = { grant_type: 'client_credentials', client_id: id, client_secret };
    return bearer((await call('/oauth/token', { method: 'POST', body: new URLSearchParams(form) })).body.access_token);
  }
  async function behind({ headers }: Caller) {
    assert.equal((await call('/v2/contacts', { headers })).status, 200);
    const seen = service.seen.splice(0).at(-1);
    assert.ok(seen);
    return verifyContext(contextKeys, seen.headers[contextHeader], { method: 'GET', path: seen.target, now: Date.now() })?.created_by;
  }

  const key = await keyOf(ada);
  const client = await made('oauth-clients', key);
  const token = await tokenOf(client);
  const chain = [key, await keyOf(key), token, await keyOf(token), await keyOf(await keyOf(token))];
  for (const one of chain) assert.equal(await behind(one), ada.id);

  const ofAda = await made('api-keys', ada);
  assert.equal(
    await behind(bearer((await made(`api-keys/${ofAda.id}/rotate`, bea, {})).key)),
    bea.id,
    'who rotates a key knows the new one',
  );
  const rotated = await made(`oauth-clients/${client.id}/rotate`, bea, {});
  assert.equal(await behind(await tokenOf(rotated)), bea.id, 'and the new secret');
  assert.equal(await behind(await tokenOf(client)), ada.id, 'the old secret is that of who made it');
});
