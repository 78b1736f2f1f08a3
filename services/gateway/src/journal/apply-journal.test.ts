import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CredentialState } from '@mp/contracts/credential-state';
import type { JournalEntry, JournalOf } from '@mp/contracts/journal';
import { type AccountId, newId, trustedId } from '@mp/ids';
import { startTestGateway } from '../../test/start-test-gateway.ts';
import { secretHash } from '../credentials/secret-hash.ts';
import { stateOfKey } from '../settings/api-keys/api-key.ts';
import { issueToken } from '../settings/oauth/issue-token.ts';
import { newClientSecret, newOauthClient, stateOfClient } from '../settings/oauth/oauth-client.ts';
import { hashPassword } from '../settings/users/password.ts';
import { invitedUser, passwordPrint, stateOfUser } from '../settings/users/user.ts';

const hourMs = 3_600_000;
const later = new Date(Date.now() + hourMs).toISOString();
const earlier = new Date(Date.now() - hourMs).toISOString();
const origin = { correlationId: 'test', causationId: null };

test('the journal of a restored backup', async (t) => {
  const { gateway, stores, parts, makeAccount, makeKey, signIn, call } = await startTestGateway(t);
  const account = await makeAccount();
  const apply = async (...entries: JournalEntry[]) =>
    gateway.applyJournal?.(
      (async function* () {
        yield* entries;
      })(),
    );
  const entry = (credential_id: string, state: CredentialState, at = later): JournalOf<'credential'> => ({
    ...{ kind: 'credential', account_id: account.id, at, credential_id, state },
  });
  const ended = (credential_id: string, secret_hash: string): JournalEntry => ({
    ...{ kind: 'credential', account_id: account.id, at: later, credential_id, secret_hash },
  });
  const transaction = parts.mongo.transaction;

  await t.test('revokes keys, by state or by secret, and narrows others', async () => {
    const keys = [await makeKey({ account }), await makeKey({ account }), await makeKey({ account })] as const;
    const [first, second, third] = keys;
    const limited = { ...stateOfKey(third.key), permission: 'read_only' as const, ip_allow: ['192.0.2.1'] };
    const entries = [
      entry(first.key.id, { ...stateOfKey(first.key), ended: true }),
      ended(second.key.id, second.key.hash),
      entry(third.key.id, limited),
    ];
    await apply(...entries);
    const read = async ({ key }: { key: { id: string } }) => stores.apiKeys.find(account.id, key.id);
    assert.ok((await read(first))?.revoked_at && (await read(second))?.revoked_at);
    const now = await read(third);
    assert.deepEqual([now?.permission, now?.ip_allow, now?.revoked_at], ['read_only', ['192.0.2.1'], null]);
    assert.deepEqual(await apply(...entries), { accounts: 0, secrets: 0, credentials: 0, erased_accounts: 0, sign_in_links: 0 });
    const { items } = await stores.auditLog.list(account.id, { target_id: third.key.id }, { limit: 10, cursor: undefined }, parts.cursors);
    assert.deepEqual(
      items.map(({ action, actor_id }) => [action, actor_id]),
      [['api_key.changed', null]],
    );
  });

  await t.test('keeps a key that was changed after its last entry, unless the journal revokes it', async () => {
    const { key } = await makeKey({ account });
    await transaction(origin, (tx) =>
      stores.auditLog.add(tx, { accountId: account.id, id: null }, { action: 'api_key.changed', target_id: key.id }),
    );
    await apply(entry(key.id, { ...stateOfKey(key), permission: 'read_only' }, earlier));
    assert.equal((await stores.apiKeys.find(account.id, key.id))?.permission, 'admin');
    await apply(entry(key.id, { ...stateOfKey(key), ended: true }, earlier));
    assert.ok((await stores.apiKeys.find(account.id, key.id))?.revoked_at);
  });

  await t.test('narrows a key to its latest state, whichever of two journals is applied first', async () => {
    const { key } = await makeKey({ account });
    const at = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
    const first = entry(key.id, { ...stateOfKey(key), permission: 'read_write' }, at(60));
    const last = entry(key.id, { ...stateOfKey(key), permission: 'read_only' }, at(30));
    for (const [journal, permission] of [
      [first, 'read_write'],
      [last, 'read_only'],
      [first, 'read_only'],
    ] as const) {
      await apply(journal);
      assert.equal((await stores.apiKeys.find(account.id, key.id))?.permission, permission);
    }
  });

  await t.test('revokes an OAuth client, and the old secret of a rotated one', async () => {
    const made = newClientSecret(new Date(), null);
    const client = newOauthClient(account.id, { name: 'App', permission: 'read_only', created_by: null }, made.secret, new Date());
    await transaction(origin, (tx) => stores.oauthClients.insert(tx, client));
    const rotated = { ...client, secrets: [newClientSecret(new Date(), null, newId('user')).secret] };
    await apply(entry(client.id, stateOfClient(rotated)));
    assert.deepEqual((await stores.oauthClients.find(account.id, client.id))?.secrets, rotated.secrets);
    await apply(entry(client.id, { ...stateOfClient(rotated), ended: true }));
    assert.ok((await stores.oauthClients.find(account.id, client.id))?.revoked_at);
  });

  await t.test('repeats where an OAuth client sends users, and that it needs its secret', async () => {
    const made = newClientSecret(new Date(), null);
    const wanted = { name: 'App', permission: 'read_only', created_by: null, redirect_uris: ['https://old.example/'] } as const;
    const client = newOauthClient(
      account.id,
      { ...wanted, redirect_uris: [...wanted.redirect_uris], confidential: false },
      made.secret,
      new Date(),
    );
    await transaction(origin, (tx) => stores.oauthClients.insert(tx, client));
    await apply(entry(client.id, stateOfClient({ ...client, redirect_uris: ['https://new.example/'], confidential: true })));
    const now = await stores.oauthClients.find(account.id, client.id);
    assert.deepEqual([now?.redirect_uris, now?.confidential], [['https://new.example/'], true]);
  });

  await t.test('ends sessions that had ended, and revokes all sign-in links in the backup', async () => {
    const browser = await signIn(account);
    assert.equal((await call('/v2/me', { headers: browser })).status, 200);
    const session = await parts.mongo.db.collection<{ _id: string; user_id: string }>('sessions').findOne({ account_id: account.id });
    assert.ok(session);
    const owner = await stores.users.findOwner(account.id);
    assert.ok(owner);
    const link = await stores.signInLinks.make(owner);
    await apply(ended(session.user_id, session._id), { kind: 'exported', since: earlier, at: later, entries: 1 });
    assert.equal(await stores.sessions.find(session._id), null);
    assert.equal(await transaction(origin, (tx) => stores.signInLinks.use(tx, link, new Date())), undefined);
  });

  await t.test('ends what users had disconnected, with its access tokens', async () => {
    const user = await stores.users.findOwner(account.id);
    assert.ok(user);
    const given = { account_id: account.id, user_id: user.id, client_id: newId('client'), scopes: [] };
    const { grant } = await transaction(origin, (tx) =>
      stores.grants.insert(tx, { ...given, by: 'password', second_factor: null }, new Date()),
    );
    const { text } = await issueToken(stores.oauthTokens, { ...given, grant_id: grant.id }, null);
    await apply(ended(grant.id, 'of the newest refresh token'));
    assert.equal(await stores.grants.find(account.id, grant.id), undefined);
    assert.equal(await stores.oauthTokens.find(secretHash(text)), null);
  });

  await t.test('removes users who were removed, and repeats changes of roles and passwords', async () => {
    const person = async (email: string, password: string | null = null) => {
      const user = { ...invitedUser(account.id, { email, role: 'admin' }), password };
      await transaction(origin, (tx) => stores.users.insert(tx, user));
      return user;
    };
    const password = await hashPassword('a long enough one');
    const [gone, lesser, changed, same] = [
      await person('gone@x.example'),
      await person('less@x.example'),
      await person('new@x.example', password),
      await person('same@x.example', password),
    ];
    for (const name of ['second_factors', 'recovery_codes', 'sign_in_steps', 'identities', 'email_changes', 'known_browsers'])
      await parts.mongo.db.collection<{ _id: string }>(name).insertOne({ _id: name, ...{ account_id: account.id, user_id: gone.id } });
    await apply(
      entry(gone.id, stateOfUser(gone, true)),
      entry(lesser.id, stateOfUser({ ...lesser, role: 'viewer' })),
      entry(changed.id, stateOfUser({ ...changed, password: 'another' })),
      entry(same.id, stateOfUser(same)),
    );
    const read = (id: string) => stores.users.find(account.id, id);
    assert.equal(await read(gone.id), undefined);
    for (const name of ['second_factors', 'recovery_codes', 'sign_in_steps', 'identities', 'email_changes', 'known_browsers'])
      assert.equal(await parts.mongo.db.collection(name).countDocuments({ user_id: gone.id }), 0, name);
    assert.equal((await read(lesser.id))?.role, 'viewer');
    assert.equal((await read(changed.id))?.password, null);
    assert.equal((await read(same.id))?.password, password);
    assert.notEqual(passwordPrint(password), password);
  });

  await t.test('suspends an account only if its latest entry is a suspension', async () => {
    const [held, lifted, resumed] = [await makeAccount(), await makeAccount(), await makeAccount()];
    await transaction(origin, (tx) => stores.accounts.update(tx, resumed.id, { status: 'suspended' }));
    const status = (id: AccountId, status: 'active' | 'suspended', revision: number, at = later): JournalEntry => ({
      ...{ kind: 'account', account_id: id, at, status, revision },
    });
    const entries = [
      ...[status(held.id, 'active', 5), status(held.id, 'suspended', 6), status(held.id, 'suspended', 4)],
      ...[status(lifted.id, 'active', 3), status(lifted.id, 'suspended', 2)],
      ...[status(resumed.id, 'active', 3), status(trustedId<'account'>('account_unknown'), 'suspended', 2)],
    ];
    const statuses = () => Promise.all([held, lifted, resumed].map(async ({ id }) => (await stores.accounts.find(id))?.status));
    assert.equal((await apply(...entries))?.accounts, 2);
    assert.deepEqual(await statuses(), ['suspended', 'active', 'active']);
    assert.equal(
      (await stores.accounts.find(held.id))?.revision,
      7,
      'higher than any revision that services which were not restored may know',
    );
    assert.equal((await apply(...entries))?.accounts, 0);
    const { items } = await stores.auditLog.list(held.id, { target_id: held.id }, { limit: 10, cursor: undefined }, parts.cursors);
    assert.deepEqual(
      items.map(({ action, details }) => [action, details?.status]),
      [['account.changed', 'suspended']],
    );
  });

  await t.test('keeps a status that was set after the last entry', async () => {
    const { id } = await makeAccount();
    const suspended: JournalEntry = { kind: 'account', account_id: id, at: earlier, status: 'suspended', revision: 2 };
    // A new name does not count as a change of status.
    await transaction(origin, (tx) => stores.accounts.update(tx, id, { display_name: 'Renamed' }));
    assert.equal((await apply(suspended))?.accounts, 1);
    await transaction(origin, (tx) => stores.accounts.update(tx, id, { status: 'active' }));
    assert.equal((await apply(suspended))?.accounts, 0);
    assert.equal((await stores.accounts.find(id))?.status, 'active');
  });

  await t.test('erases again an account that was erased since the backup, once and without a grace period', async () => {
    const gone = await makeAccount();
    const erased: JournalEntry = { kind: 'account_erasure', account_id: gone.id, at: later };
    assert.equal((await apply(erased, erased))?.erased_accounts, 1);
    assert.equal((await apply(erased))?.erased_accounts, 0);
    const deletion = await stores.accountDeletions.find(gone.id);
    assert.ok(deletion && deletion.eraseAt <= new Date());
    assert.equal((await stores.accounts.find(gone.id))?.status, 'suspended');
    assert.equal((await stores.accountDeletions.find(account.id))?.status, undefined);
  });
});
