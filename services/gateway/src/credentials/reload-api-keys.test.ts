import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/parts';
import { startTestGateway } from '../../test/start-test-gateway.ts';
import { newAccount } from '../accounts/account.ts';
import { newApiKey } from '../api-keys/new-api-key.ts';
import { createStores } from '../stores.ts';
import type { Known } from './credential-cache.ts';
import { loadApiKeys } from './load-credential.ts';
import { reloadApiKeys } from './reload-api-keys.ts';

/** The keys of some accounts, as a gateway knows them after their first reading; `read` is what the database was asked since. */
async function setUp(t: TestContext, accountCount = 1) {
  const parts = await testParts(t, 'gateway');
  const stores = createStores(parts);
  await stores.prepare();
  const change = <Result>(work: Parameters<typeof parts.mongo.transaction<Result>>[1]) =>
    parts.mongo.transaction({ correlationId: 'test', causationId: null }, work);
  const keys = await change(async (tx) => {
    const made = [];
    for (let index = 0; index < accountCount; index += 1) {
      const account = await stores.accounts.ensure(newAccount({ name: `account ${index}`, plan: 'starter' }));
      for (let each = 0; each < 2; each += 1)
        made.push(newApiKey(account.id, { name: `${index}.${each}`, permission: 'admin', created_by: null }).key);
    }
    for (const key of made) await stores.apiKeys.insert(tx, key);
    return made;
  });

  const read: string[] = [];
  const state = { now: 0, afterAccounts: async () => {}, afterKeys: async () => {} };
  const accounts = {
    ...stores.accounts,
    findDeciding: async (ids: readonly string[]) => {
      const found = await stores.accounts.findDeciding(ids);
      read.push(`${ids.length} accounts`);
      await state.afterAccounts();
      return found;
    },
  };
  const apiKeys = {
    ...stores.apiKeys,
    findByHashes: async (hashes: readonly string[]) => {
      const found = await stores.apiKeys.findByHashes(hashes);
      read.push(`${hashes.length} keys`);
      await state.afterKeys();
      return found;
    },
  };
  const now = () => state.now;
  const loaded = await loadApiKeys(stores, now)(keys.map(({ hash }) => hash));
  let known: Known[] = keys.flatMap(({ hash }) => loaded.get(hash) ?? []).map((credential) => ({ credential, loadedAt: 0 }));
  const reload = reloadApiKeys({ accounts, apiKeys }, now);

  return {
    ...{ stores, state, keys, change },
    /** Reads them again some seconds later; gives what the database was asked for it. */
    async again(which: (name: number) => boolean = () => true) {
      state.now += 5_000;
      const asked = known.filter((_, index) => which(index));
      const valid = await reload(asked);
      known = known.flatMap((entry) => (asked.includes(entry) ? (valid.get(entry.credential.hash) ?? []) : entry));
      return read.splice(0);
    },
    known: () => known,
  };
}

test('of accounts in which no key has changed only the accounts are read, once for all of their keys', async (t) => {
  const { again, known, state } = await setUp(t, 3);
  assert.deepEqual(await again(), ['3 accounts', '6 keys'], 'how old what was read first is, nobody knows');
  assert.deepEqual(await again(), ['3 accounts']);
  assert.ok(known().every(({ loadedAt }) => loadedAt === state.now));
  const before = known().map(({ credential }) => credential);
  assert.deepEqual(await again((index) => index % 2 === 0), ['3 accounts']);
  state.now -= 4_000;
  assert.deepEqual(await again((index) => index % 2 === 1), [], 'read for another key since');
  assert.ok(
    known().every(({ credential, loadedAt }, index) => credential === before[index] && loadedAt === 15_000),
    'the same objects, as old as the reading of their account',
  );
});

test('a revoked key is gone at its next reading, and the others of its account are read again once', async (t) => {
  const { again, known, keys, change, stores } = await setUp(t, 2);
  await again();
  const [revoked] = keys;
  assert.ok(revoked);
  await change((tx) => stores.apiKeys.revoke(tx, revoked));
  assert.deepEqual(await again(), ['2 accounts', '2 keys']);
  assert.deepEqual(
    known().map(({ credential }) => credential.id),
    keys.slice(1).map(({ id }) => id),
  );
  assert.deepEqual(await again(), ['2 accounts']);
});

test('a change while they are read is seen by then or at the next reading', async (t) => {
  for (const moment of ['afterAccounts', 'afterKeys'] as const) {
    await t.test(moment, async (t) => {
      const { again, known, keys, change, stores, state } = await setUp(t);
      const [key] = keys;
      assert.ok(key);
      state[moment] = async () => {
        state[moment] = async () => {};
        await change((tx) => stores.apiKeys.update(tx, { ...key, permission: 'read_only' }));
      };
      const permission = () => known().find(({ credential }) => credential.id === key.id)?.credential.permission;
      await again();
      assert.equal(permission(), moment === 'afterAccounts' ? 'read_only' : 'admin');
      await again();
      assert.equal(permission(), 'read_only');
    });
  }
});

test('what was changed of the account is changed for all of its keys', async (t) => {
  const { again, known, change, stores } = await setUp(t);
  await again();
  const id = known()[0]?.credential.account.id ?? '';
  await change((tx) => stores.accounts.update(tx, id, { status: 'suspended' }));
  assert.deepEqual(await again(), ['1 accounts']);
  assert.deepEqual(
    known().map(({ credential }) => credential.account.status),
    ['suspended', 'suspended'],
  );
});

test('a clock that steps back does not make an old reading a new one', async (t) => {
  const { again, known, state, keys, change, stores } = await setUp(t);
  state.now = 1_000_000;
  await again();
  state.now = 0;
  for (const entry of known()) entry.loadedAt = 0;
  const [key] = keys;
  assert.ok(key);
  await change((tx) => stores.apiKeys.revoke(tx, key));
  await again();
  assert.equal(known().length, 1);
});

test('through the door: a key that is revoked while nobody brings the news does not live for ten seconds', async (t) => {
  const clock = { ahead: 0 };
  const { call, makeKey, parts, stores } = await startTestGateway(t, { now: () => Date.now() + clock.ahead });
  const key = await makeKey();
  const other = await makeKey({ account: key.account });
  const statusOf = async (one: typeof key) => (await call('/v2/contacts', { key: one })).status;
  assert.deepEqual([await statusOf(key), await statusOf(other)], [200, 200]);
  await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => stores.apiKeys.revoke(tx, key.key));
  clock.ahead = 8_501;
  await eventually(async () => (await statusOf(key)) === 401);
  assert.equal(await statusOf(other), 200);
});
