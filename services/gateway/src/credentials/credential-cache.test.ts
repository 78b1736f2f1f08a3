import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { trustedId } from '@mp/ids';
import type { Credential } from './credential.ts';
import { createCredentialCache } from './credential-cache.ts';

const credential = (hash: string, accountId = trustedId<'account'>('account_1')): Credential => ({
  kind: 'key',
  id: trustedId<'key'>(`key_${hash}`),
  hash,
  permission: 'admin',
  scopes: null,
  expiresAt: null,
  allowsAddress: () => true,
  account: { id: accountId, plan: 'starter', status: 'active', limits: { daily: 10, perSecond: 50, depth: 100, concurrency: 100 } },
});

/** A cache over a fake database; the test controls its content and when its reads complete. */
function setUp() {
  const held = new Map<string, Credential>([['a', credential('a')]]);
  const state = { now: 0, reads: 0, away: false, gate: Promise.resolve() };
  const cache = createCredentialCache({
    now: () => state.now,
    load: async (hashes) => {
      state.reads += 1;
      const found = new Map([...held].filter(([hash]) => hashes.includes(hash)));
      await state.gate;
      if (state.away) throw new Error('away');
      return found;
    },
  });
  return { cache, held, state };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Stale entries are refreshed together, a moment later. */
async function refreshed({ mock }: TestContext) {
  mock.timers.tick(100);
  await settled();
}

test('a credential is read once while it is fresh', async () => {
  const { cache, state } = setUp();
  await cache.find('a');
  state.now = 4_999;
  assert.equal((await cache.find('a'))?.id, 'key_a');
  assert.equal(state.reads, 1);
});

test('a stale credential is returned immediately and refreshed once in the background', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { cache, state } = setUp();
  await cache.find('a');
  state.now = 8_501;
  assert.ok(cache.warm('a'));
  assert.ok(cache.warm('a'));
  await refreshed(t);
  assert.equal(state.reads, 2);
  state.now = 10_000;
  assert.ok(cache.warm('a'), 'the age of the refreshed entry starts at its own read');
});

test('never uses an entry older than ten seconds, even while the database is unavailable', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { cache, state } = setUp();
  await cache.find('a');
  state.away = true;
  state.now = 9_999;
  assert.ok(await cache.find('a'));
  await refreshed(t);
  state.now = 10_001;
  assert.equal(cache.warm('a'), undefined);
  await assert.rejects(cache.find('a'), /away/);
});

test('a clock that is set back makes entries unusable, not permanent', async () => {
  const { cache, state } = setUp();
  state.now = 100_000;
  await cache.find('a');
  state.now = 50_000;
  assert.equal(cache.warm('a'), undefined);
});

test('refreshing a revoked key drops it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { cache, held, state } = setUp();
  await cache.find('a');
  held.delete('a');
  state.now = 8_501;
  cache.warm('a');
  await refreshed(t);
  assert.equal(await cache.find('a'), undefined);
});

test('concurrent requests share one read', async () => {
  const { cache, state } = setUp();
  await Promise.all([cache.find('a'), cache.find('a'), cache.find('a')]);
  assert.equal(state.reads, 1);
});

test('remembers a wrong secret for only one second', async () => {
  const { cache, held, state } = setUp();
  assert.equal(await cache.find('b'), undefined);
  held.set('b', credential('b'));
  assert.equal(await cache.find('b'), undefined);
  state.now = 1_000;
  assert.ok(await cache.find('b'));
});

test('forgetting drops cached entries and running reads', async () => {
  const { cache, held, state } = setUp();
  await cache.find('a');
  cache.forget('a');
  assert.equal(cache.warm('a'), undefined);

  const gate = Promise.withResolvers<void>();
  state.gate = gate.promise;
  const reading = cache.find('a');
  held.delete('a');
  cache.forget('a');
  gate.resolve();
  await reading;
  assert.equal(cache.warm('a'), undefined, 'a read that began before the revocation is not cached');
});

test('an entry forgotten during its refresh is not cached', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { cache, state } = setUp();
  await cache.find('a');
  state.now = 8_501;
  assert.ok(cache.warm('a'));
  const gate = Promise.withResolvers<void>();
  state.gate = gate.promise;
  await refreshed(t);
  cache.forget('a');
  gate.resolve();
  await settled();
  assert.equal(state.reads, 2);
  assert.equal(cache.warm('a'), undefined);
});

test("a change of an account drops only that account's credentials", async () => {
  const { cache, held } = setUp();
  const other = trustedId<'account'>('account_2');
  held.set('c', credential('c', other));
  await Promise.all([cache.find('a'), cache.find('c')]);
  cache.forgetAccount(other);
  assert.ok(cache.warm('a'));
  assert.equal(cache.warm('c'), undefined);
});

test('a flood of wrong secrets is bounded and evicts no valid credential', async () => {
  const { cache } = setUp();
  await cache.find('a');
  for (let index = 0; index < 20_000; index += 1) await cache.find(`wrong ${index}`);
  assert.deepEqual(cache.size(), { known: 1, unknown: 10_000 });
  assert.ok(cache.warm('a'));
});
