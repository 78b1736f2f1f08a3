import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Credential } from './credential.ts';
import { createCredentialCache } from './credential-cache.ts';

const credential = (hash: string, accountId = 'account_1'): Credential => ({
  kind: 'key',
  id: `key_${hash}`,
  hash,
  permission: 'admin',
  scopes: null,
  expiresAt: null,
  allowsAddress: () => true,
  account: { id: accountId, plan: 'starter', status: 'active', limits: { daily: 10, perSecond: 50, depth: 100, concurrency: 100 } },
});

/** A cache over a database of which the test says what it holds and when it answers. */
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

/** What is to be read anew is read together, a moment later. */
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

test('after some seconds it is still answered at once and read anew behind the request, once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { cache, state } = setUp();
  await cache.find('a');
  state.now = 8_501;
  assert.ok(cache.warm('a'));
  assert.ok(cache.warm('a'));
  await refreshed(t);
  assert.equal(state.reads, 2);
  state.now = 10_000;
  assert.ok(cache.warm('a'), 'the refreshed entry counts from its own reading');
});

test('nothing older than ten seconds is ever used, also while the database is away', async (t) => {
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

test('a clock that steps back makes entries unusable, not eternal', async () => {
  const { cache, state } = setUp();
  state.now = 100_000;
  await cache.find('a');
  state.now = 50_000;
  assert.equal(cache.warm('a'), undefined);
});

test('a revoked key that is refreshed is gone', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { cache, held, state } = setUp();
  await cache.find('a');
  held.delete('a');
  state.now = 8_501;
  cache.warm('a');
  await refreshed(t);
  assert.equal(await cache.find('a'), undefined);
});

test('requests that come together share one read', async () => {
  const { cache, state } = setUp();
  await Promise.all([cache.find('a'), cache.find('a'), cache.find('a')]);
  assert.equal(state.reads, 1);
});

test('a wrong secret is remembered for a second only', async () => {
  const { cache, held, state } = setUp();
  assert.equal(await cache.find('b'), undefined);
  held.set('b', credential('b'));
  assert.equal(await cache.find('b'), undefined);
  state.now = 1_000;
  assert.ok(await cache.find('b'));
});

test('forgetting drops what is known, and what is just being read', async () => {
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
  assert.equal(cache.warm('a'), undefined, 'what was read before the revocation is not kept');
});

test('what is forgotten while it is read anew is not kept', async (t) => {
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

test("an account's change drops its credentials and nobody else's", async () => {
  const { cache, held } = setUp();
  held.set('c', credential('c', 'account_2'));
  await Promise.all([cache.find('a'), cache.find('c')]);
  cache.forgetAccount('account_2');
  assert.ok(cache.warm('a'));
  assert.equal(cache.warm('c'), undefined);
});

test('a flood of wrong secrets stays bounded and pushes out no right one', async () => {
  const { cache } = setUp();
  await cache.find('a');
  for (let index = 0; index < 20_000; index += 1) await cache.find(`wrong ${index}`);
  assert.deepEqual(cache.size(), { known: 1, unknown: 10_000 });
  assert.ok(cache.warm('a'));
});
