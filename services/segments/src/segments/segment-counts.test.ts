import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '@mp/service-kit/metrics';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { applyAll, backfillAll, contactWith, livingIn, origin } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const cities = ['Berlin', 'Bonn', 'Köln'];
const livesIn = (city: string) => ({ field: 'address.city', op: 'eq', value: city });

test('the count of a segment', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp);
  const replica = await testService(t, parts, (own) => buildApp({ ...own, metrics: createMetrics('segments') }));

  async function segmentsOf(account: ReturnType<typeof testClient>, definitions: readonly object[]): Promise<string[]> {
    const ids: string[] = [];
    for (const [index, definition] of definitions.entries()) {
      const { data } = await account.post('/v2/segments', { name: `Segment ${index}`, definition });
      ids.push(data.id);
    }
    await backfillAll(built);
    return ids;
  }

  const countOf = async (account: ReturnType<typeof testClient>, id: string): Promise<number> =>
    (await account.get(`/v2/segments/${id}`)).data.count;
  const totalOf = async (account: ReturnType<typeof testClient>, id: string): Promise<number> =>
    (await account.get(`/v2/segments/${id}/contacts?limit=1&include=total_count`)).data.pagination.total_count;

  await t.test('equals the number of members after random changes on two replicas', async () => {
    const step = fc.record({ who: fc.nat(5), city: fc.constantFrom(...cities), gone: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 }), async (bursts) => {
        const account = testClient(app);
        const ids = await segmentsOf(account, [...cities.map(livesIn), { not: livesIn('Berlin') }]);
        const contacts = Array.from({ length: 6 }, () => contactWith());
        let revision = 1;
        for (const burst of bursts) {
          const work = burst.map(({ who, city, gone }, index) => {
            const contact = contacts[who];
            const { contacts: apply } = index % 2 === 0 ? built : replica.built;
            revision += 1;
            const now = revision;
            if (!contact) return undefined;
            return parts.mongo.transaction(
              origin(),
              (tx) =>
                gone
                  ? apply.applyDeletion(tx, account.accountId, { contactId: contact.id, revision: now })
                  : apply.apply(tx, account.accountId, [{ ...contact, ...livingIn(city), revision: now }]),
              { limitMs: 30_000 },
            );
          });
          await Promise.all([...work, built.counts.flush(), replica.built.counts.flush()]);
        }
        await built.counts.flush();
        for (const id of ids) assert.equal(await countOf(account, id), await totalOf(account, id));
      }),
      { numRuns: 10 },
    );
  });

  await t.test('is exact for every segment after a burst of 10,000 changes across 100 segments', async (t) => {
    const account = testClient(app);
    const ids = await segmentsOf(
      account,
      Array.from({ length: 100 }, (_, index) => ({ any: [livesIn('Berlin'), { field: 'tags', op: 'contains', value: `t${index}` }] })),
    );
    built.counts.start();
    t.after(() => built.counts.stop());
    const contacts = Array.from({ length: 100 }, () => contactWith(livingIn('Berlin')));
    await applyAll(parts, built, account.accountId, contacts);
    const quietAt = performance.now();
    await eventually(async () => {
      const { items } = (await account.get('/v2/segments?limit=100')).data;
      return items.every(({ count }: { count: number }) => count === 100);
    });
    t.diagnostic(`exact ${Math.round(performance.now() - quietAt)} ms after the last change`);
    assert.equal(await totalOf(account, ids[99] ?? ''), 100);
  });

  await t.test('keeps changes that a process journaled before it crashed', async () => {
    const account = testClient(app);
    const [id = ''] = await segmentsOf(account, [livesIn('Berlin')]);
    await applyAll(parts, built, account.accountId, [contactWith(livingIn('Berlin')), contactWith(livingIn('Berlin'))]);
    // The process that wrote them no longer folds them; another one does.
    replica.built.counts.start();
    await eventually(async () => (await countOf(account, id)) === 2);
    await replica.built.counts.stop();
  });

  await t.test('is corrected by the recount if it was wrong', async () => {
    const account = testClient(app);
    const [id = ''] = await segmentsOf(account, [livesIn('Berlin')]);
    await applyAll(parts, built, account.accountId, [contactWith(livingIn('Berlin'))]);
    const rows = parts.mongo.db.collection('segment_counts');
    await rows.updateOne({ account_id: account.accountId }, { $set: { count: 99, recount_at: new Date(0) } });
    await built.counts.recountDue();
    await built.counts.flush();
    assert.equal(await countOf(account, id), 1);
  });
});
