import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import type { AccountRow } from '../../settings/accounts/account.ts';
import { invitedUser } from '../../settings/users/user.ts';

const password = 'a long and unusual passphrase';

test('an open stream ends when its request would no longer be admitted, through whichever gateway it is read', async (t) => {
  const gateway = await startTestGateway(t, { live: true });
  const replica = await startTestGateway(t, { parts: gateway.parts });
  await Promise.all((replica.gateway.replies ?? []).map((respond) => respond()));
  const { send, makeKey, makeAccount, signIn, stores, parts } = gateway;
  let served = 0;
  for (const { service } of [gateway, replica]) {
    service.behave((req, res) => {
      served += 1;
      req.socket.once('close', () => {
        served -= 1;
      });
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      res.write('id: 1\n\n');
    });
  }

  /** A stream through each gateway, with the headers of a key or of a browser. */
  async function open(headers: Record<string, string>) {
    const state = { open: 0 };
    await Promise.all(
      [gateway, replica].map(async ({ url }) => {
        const response = await fetch(`${url}/v2/contacts`, { headers: { accept: 'text/event-stream', ...headers } });
        assert.equal(response.status, 200);
        state.open += 1;
        // Rejects if the response is cut off instead of ended.
        void response.text().then(() => {
          state.open -= 1;
        });
      }),
    );
    return state;
  }
  const bearer = ({ authorization }: { authorization: string }) => ({ authorization });
  const inTransaction = (work: Parameters<typeof parts.mongo.transaction<unknown>>[1]) =>
    parts.mongo.transaction({ correlationId: 'req_12345678', causationId: null }, work);

  const account = await makeAccount('starter');
  const admin = await makeKey({ account });
  const withAdmin = { key: admin };
  const neighbour = await makeKey();
  const neighbours = [await open(bearer(neighbour)), await open(bearer(admin))];

  /** Users with a password, because ending a session of one must not end the others of this test. */
  async function person(of: AccountRow = account) {
    const user = invitedUser(of.id, { email: `${crypto.randomUUID()}@example.com`, role: 'editor' });
    await inTransaction((tx) => stores.users.insert(tx, user));
    return { user, browser: await signIn(of, user) };
  }

  await t.test('a revoked key, a key that has become narrower, and one that has expired', async () => {
    const [revoked, narrowed, elsewhere] = [await makeKey({ account }), await makeKey({ account }), await makeKey({ account })];
    // On a busy machine, a key can expire before its stream is open; another one takes its place.
    const expiring = await eventually(async () => {
      const key = await makeKey({ account, expires_at: new Date(Date.now() + 3_000) });
      return open(bearer(key)).catch(() => undefined);
    });
    const streams = [expiring, ...(await Promise.all([revoked, narrowed, elsewhere].map((key) => open(bearer(key)))))];
    const path = (key: typeof revoked) => `/v2/settings/api-keys/${key.key.id}`;
    const responses = [
      await send('POST', `${path(revoked)}/revoke`, {}, withAdmin),
      await send('PUT', path(narrowed), { scopes: ['segments:read'] }, withAdmin),
      await send('PUT', path(elsewhere), { ip_allow: ['192.0.2.1'] }, withAdmin),
    ];
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200],
    );
    await eventually(async () => streams.every((stream) => stream.open === 0));
  });

  /** A busy machine delays one or another stream, so another one takes its place. */
  const endsWithinASecond = (begin: () => Promise<{ headers: Record<string, string>; end: () => Promise<unknown> }>) =>
    eventually(async () => {
      const { headers, end } = await begin();
      const stream = await open(headers);
      await end();
      const ended = performance.now();
      await eventually(async () => stream.open === 0);
      return performance.now() - ended < 1_000;
    });

  await t.test('within a second of the end of a key, a session and a user', async () => {
    await endsWithinASecond(async () => {
      const key = await makeKey({ account });
      return { headers: bearer(key), end: () => send('POST', `/v2/settings/api-keys/${key.key.id}/revoke`, {}, withAdmin) };
    });
    await endsWithinASecond(async () => {
      const { browser } = await person();
      return { headers: browser, end: () => send('POST', '/auth/sign-out', {}, { headers: browser }) };
    });
    await endsWithinASecond(async () => {
      const { user, browser } = await person();
      return { headers: browser, end: () => send('DELETE', `/v2/settings/users/${user.id}`, {}, withAdmin) };
    });
  });

  await t.test('a revoked access token, and the tokens of a revoked client', async () => {
    const { data: client } = await send('POST', '/v2/settings/oauth-clients', { name: 'App', permission: 'read_write' }, withAdmin);
    const form = (path: string, fields: Record<string, string>) =>
      gateway.call(path, {
        method: 'POST',
        body: new URLSearchParams({ client_id: client.id, client_secret: client.client_secret, ...fields }),
      });
    const token = async () => String((await form('/oauth/token', { grant_type: 'client_credentials' })).body.access_token);
    const [one, other] = [await token(), await token()];
    const [ofOne, ofOther] = [await open({ authorization: `Bearer ${one}` }), await open({ authorization: `Bearer ${other}` })];
    assert.equal((await form('/oauth/revoke', { token: one })).status, 200);
    await eventually(async () => ofOne.open === 0);
    assert.equal(ofOther.open, 2);
    assert.equal((await send('POST', `/v2/settings/oauth-clients/${client.id}/revoke`, {}, withAdmin)).status, 200);
    await eventually(async () => ofOther.open === 0);
  });

  await t.test('a session that ends: by signing out, from another session, by a new password, and with its user', async () => {
    const { user, browser } = await person();
    const [signedOut, current] = [await signIn(account, user), browser];
    const [ofSignedOut, ofCurrent] = [await open(signedOut), await open(current)];
    assert.equal((await send('POST', '/auth/sign-out', {}, { headers: signedOut })).status, 200);
    await eventually(async () => ofSignedOut.open === 0);

    const ofEnded = await open(await signIn(account, user));
    assert.equal((await send('POST', '/auth/sessions/revoke', { others: true }, { headers: current })).status, 200);
    await eventually(async () => ofEnded.open === 0);

    const ofOther = await open(await signIn(account, user));
    const changed = await send('POST', '/auth/password', { new_password: password }, { headers: current });
    assert.equal(changed.status, 200, changed.text);
    await eventually(async () => ofOther.open === 0);
    assert.equal(ofCurrent.open, 2, 'the session that changed the password stays');

    assert.equal((await send('DELETE', `/v2/settings/users/${user.id}`, {}, withAdmin)).status, 200);
    await eventually(async () => ofCurrent.open === 0);
  });

  const suspend = ({ id }: AccountRow) => inTransaction((tx) => stores.accounts.update(tx, id, { status: 'suspended' }));

  await t.test('a suspended account', async () => {
    const held = await makeAccount('starter');
    const streams = await Promise.all([open(bearer(await makeKey({ account: held }))), open((await person(held)).browser)]);
    await suspend(held);
    await eventually(async () => streams.every((stream) => stream.open === 0));
  });

  await t.test('other streams stay open, and the services keep no connection for those that ended', async () => {
    assert.deepEqual(
      neighbours.map((stream) => stream.open),
      [2, 2],
    );
    await eventually(async () => served === 4);
    await Promise.all([suspend(account), suspend(neighbour.account)]);
    await eventually(async () => served === 0 && neighbours.every((stream) => stream.open === 0));
  });
});
