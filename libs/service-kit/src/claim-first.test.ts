import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '@mp/contracts/errors';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/parts';
import { createClaimFirst } from './claim-first.ts';
import { createServer } from './create-server.ts';
import { type Claim, claimsOf, type Outcome } from './idempotency.ts';

const leaseMs = 150;

test('work too long for one transaction', async (t) => {
  const parts = await testParts(t, 'kit');
  const claims = claimsOf(parts.mongo.db);
  const claimFirst = createClaimFirst(parts.mongo, { leaseMs });
  let begun = 0;
  let work = async (n: number): Promise<Outcome> => ({ status: 202, data: { n } });
  const app = createServer({ ...parts, name: 'kit' });
  app.post('/v2/things', { config: { scope: 'contacts:write' } }, (request, reply) =>
    claimFirst(request, reply, () => {
      begun += 1;
      return work(begun);
    }),
  );
  await app.ready();
  t.after(() => app.close());
  const client = testClient(app);
  const post = (key: string) => client.post('/v2/things', {}, { 'idempotency-key': key });
  const idOf = (key: string) => [client.accountId, 'POST', '/v2/things', key].join(' ');
  const claimOf = (key: string) => claims.findOne({ _id: idOf(key) });

  /** Work that lasts until the test lets it end. */
  function held() {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    work = (n) => promise.then(() => ({ status: 202, data: { n } }));
    return { end: () => resolve(), fail: () => reject(invalid('/', 'wrong', 'The work was refused.')) };
  }

  /** Until the claim was renewed so often that without it the lease would have ended. */
  async function outlastLease(key: string) {
    const first = Number((await eventually(async () => (await claimOf(key)) ?? false)).lease_until);
    await eventually(async () => Number((await claimOf(key))?.lease_until) > first + leaseMs);
  }

  await t.test('keeps its claim for as long as it takes: a retry is told that it still runs', async () => {
    const before = begun;
    const { end } = held();
    const first = post('long');
    await outlastLease('long');
    const retry = await post('long');
    assert.deepEqual([retry.status, retry.error.code], [409, 'IDEMPOTENCY_IN_PROGRESS']);
    end();
    const { data } = await first;
    const replayed = await post('long');
    assert.deepEqual([replayed.data, replayed.headers['idempotent-replayed'], begun - before], [data, 'true', 1]);
  });

  await t.test('gives a claim back when it is refused', async () => {
    const { fail } = held();
    const first = post('refused');
    await eventually(async () => (await claimOf('refused')) ?? false);
    fail();
    assert.equal((await first).status, 400);
    assert.equal(await claimOf('refused'), null);
    held().end();
    assert.equal((await post('refused')).status, 202);
  });

  await t.test('leaves alone what another has taken over, whether it fails or ends', async () => {
    for (const how of ['fail', 'end'] as const) {
      const key = `lost-${how}`;
      const first = held();
      const answer = post(key);
      await eventually(async () => (await claimOf(key)) ?? false);
      const other: Partial<Claim> = { token: 'another', lease_until: new Date(Date.now() + 60_000) };
      await claims.updateOne({ _id: idOf(key) }, { $set: other });
      first[how]();
      assert.equal((await answer).status, how === 'fail' ? 400 : 202);
      const { token, outcome } = (await claimOf(key)) ?? {};
      assert.deepEqual([token, outcome], ['another', undefined]);
    }
  });

  await t.test('that is done is not done again because its answer could not be kept', async () => {
    const before = begun;
    // MongoDB keeps no member name with a zero byte.
    work = async () => ({ status: 202, data: { 'a\0b': 1 } });
    assert.equal((await post('unkept')).status, 202);
    const retry = await post('unkept');
    assert.deepEqual([retry.error.code, begun - before], ['IDEMPOTENCY_IN_PROGRESS', 1]);
  });

  await t.test('that died is done again by a retry, once its lease has ended', async () => {
    work = async (n) => ({ status: 202, data: { n } });
    await eventually(async () => (await post('unkept')).status === 202);
  });
});
