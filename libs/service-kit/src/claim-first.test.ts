import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '@mp/contracts/errors';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { createClaimFirst } from './claim-first.ts';
import { createServer } from './create-server.ts';
import { type Claim, claimsOf, type Outcome } from './idempotency-claim.ts';

/** A short lease for the route whose claims are constantly renewed, without competition. Other leases outlast every test. */
const briefMs = 30;

test('work too long for one transaction', async (t) => {
  const parts = await testParts(t, 'kit');
  const claims = claimsOf(parts.mongo.db);
  let begun = 0;
  let work = async (n: number): Promise<Outcome> => ({ status: 202, data: { n } });
  const app = createServer({ ...parts, name: 'kit' });
  for (const [path, leaseMs] of [
    ['/v2/things', 3_600_000],
    ['/v2/brief', briefMs],
  ] as const) {
    const claimFirst = createClaimFirst(parts.mongo, { leaseMs });
    app.post(path, { config: { scope: 'contacts:write' } }, (request, reply) =>
      claimFirst(request, reply, () => {
        begun += 1;
        return work(begun);
      }),
    );
  }
  await app.ready();
  t.after(() => app.close());
  const client = testClient(app);
  const post = (key: string, path = '/v2/things') => client.post(path, {}, { 'idempotency-key': key });
  const idOf = (key: string, path = '/v2/things') => [client.accountId, 'POST', path, key].join(' ');
  const claimOf = (key: string, path?: string) => claims.findOne({ _id: idOf(key, path) });

  /** Work that ends when the test says so. */
  function held() {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    work = (n) => promise.then(() => ({ status: 202, data: { n } }));
    return { end: () => resolve(), fail: () => reject(invalid('/', 'wrong', 'The work was refused.')) };
  }

  await t.test('renews its claim for as long as it runs', async () => {
    const { end } = held();
    const pending = post('long', '/v2/brief');
    const lease = async () => Number((await claimOf('long', '/v2/brief'))?.lease_until);
    const first = await eventually(async () => (await lease()) || undefined);
    await eventually(async () => (await lease()) > first + 3 * briefMs);
    end();
    assert.equal((await pending).status, 202);
  });

  await t.test('a retry gets IDEMPOTENCY_IN_PROGRESS while it runs, then the first response', async () => {
    const before = begun;
    const { end } = held();
    const first = post('long');
    await eventually(async () => (await claimOf('long')) ?? false);
    const retry = await post('long');
    assert.deepEqual([retry.status, retry.error.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    end();
    const { data } = await first;
    const replayed = await post('long');
    assert.deepEqual([replayed.data, replayed.headers['idempotent-replayed'], begun - before], [data, 'true', 1]);
  });

  await t.test('releases the claim when the request is rejected', async () => {
    const { fail } = held();
    const first = post('refused');
    await eventually(async () => (await claimOf('refused')) ?? false);
    fail();
    assert.equal((await first).status, 400);
    assert.equal(await claimOf('refused'), null);
    held().end();
    assert.equal((await post('refused')).status, 202);
  });

  await t.test('never changes a claim that another request took over', async () => {
    for (const how of ['fail', 'end'] as const) {
      const key = `lost-${how}`;
      const first = held();
      const pending = post(key);
      await eventually(async () => (await claimOf(key)) ?? false);
      const other: Partial<Claim> = { token: 'another', lease_until: new Date(Date.now() + 60_000) };
      await claims.updateOne({ _id: idOf(key) }, { $set: other });
      first[how]();
      assert.equal((await pending).status, how === 'fail' ? 400 : 202);
      const { token, outcome } = (await claimOf(key)) ?? {};
      assert.deepEqual([token, outcome], ['another', undefined]);
    }
  });

  await t.test('is not repeated when its response could not be stored', async () => {
    const before = begun;
    // MongoDB rejects field names with a zero byte.
    work = async () => ({ status: 202, data: { 'a\0b': 1 } });
    assert.equal((await post('unkept')).status, 202);
    const retry = await post('unkept');
    assert.deepEqual([retry.error.code, begun - before], ['IDEMPOTENCY_IN_PROGRESS', 1]);
  });

  await t.test('is repeated by a retry after a crash, once the lease has ended', async () => {
    work = async (n) => ({ status: 202, data: { n } });
    await claims.updateOne({ _id: idOf('unkept') }, { $set: { lease_until: new Date(0) } });
    assert.equal((await post('unkept')).status, 202);
  });
});
