import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '@mp/service-kit/metrics';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { applyAll, backfillAll, contactWith, livingIn } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';

const berlin = { field: 'address.city', op: 'eq', value: 'Berlin' };
const hourMs = 3_600_000;

type Point = { from: string; to: string; entered: number; left: number; count: number };

test('GET /v2/segments/:id/series', async (t) => {
  // Clocks go forward in Berlin on 29 March 2026.
  const begin = new Date('2026-03-27T00:00:00Z');
  let now = begin;
  const parts = await testParts(t, 'segments');
  const build = () => testService(t, parts, (own) => buildApp({ ...own, metrics: createMetrics('segments') }, { clock: () => now }));
  const [{ app, built }, replica] = [await build(), await build()];
  await guaranteeRoute(t, app, {
    method: 'GET',
    scope: 'segments:read',
    url: async (client) => `/v2/segments/${(await client.post('/v2/segments', { name: 'One', definition: berlin })).data.id}/series`,
  });

  await t.test(
    'equals the members as of the end of each interval, in any zone, including for a segment from an earlier version',
    async () => {
      const step = fc.record({ who: fc.nat(3), city: fc.constantFrom('Berlin', 'Bonn'), hours: fc.integer({ min: 0, max: 20 }) });
      const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns');
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), zone, fc.boolean(), async (steps, timezone, earlier) => {
          now = begin;
          const account = testClient(app);
          const contacts = Array.from({ length: 4 }, () => contactWith(livingIn('Berlin')));
          await applyAll(parts, built, account.accountId, contacts);
          const { data: segment } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
          await backfillAll(built);
          for (const [index, { who, city, hours }] of steps.entries()) {
            now = new Date(now.getTime() + hours * hourMs + 1);
            const contact = contacts[who];
            const { built: one } = index % 2 === 0 ? { built } : replica;
            if (contact) await applyAll(parts, one, account.accountId, [{ ...contact, ...livingIn(city), revision: index + 2 }]);
          }
          if (earlier) {
            await parts.mongo.db.collection('segment_growth').deleteMany({ account_id: account.accountId });
            await parts.mongo.db.collection('segment_counts').updateMany({ account_id: account.accountId }, { $unset: { has_growth: '' } });
            // The journal still has the newest changes, which are not to count twice.
            await account.get(`/v2/segments/${segment.id}/series`);
          }
          await built.counts.flush();
          const url = `/v2/segments/${segment.id}/series?timezone=${timezone}&from=2026-03-26`;
          const { data, text } = await account.get(url);
          assert.ok(data, text);
          const items: Point[] = data.items;
          for (const { to, count } of items) {
            const asOf = new Date(Math.min(Date.parse(to) - 1, now.getTime() + 10)).toISOString();
            const members = await account.get(`/v2/segments/${segment.id}/contacts?as_of=${asOf}`);
            const first = await account.get(`/v2/segments/${segment.id}/changes?sort=at&limit=1`);
            if (asOf >= first.data.items[0].at) assert.equal(count, members.data.items.length, `at ${asOf} in ${timezone}`);
          }
          const changes: { change: string }[] = (await account.get(`/v2/segments/${segment.id}/changes?limit=100`)).data.items;
          const total = (of: 'entered' | 'left') => items.reduce((sum, point) => sum + point[of], 0);
          const listed = (of: string) => changes.filter(({ change }) => change === of).length;
          assert.deepEqual([total('entered'), total('left')], [listed('entered'), listed('left')]);
          assert.equal(items.at(-1)?.count, (await account.get(`/v2/segments/${segment.id}`)).data.count);
        }),
        { numRuns: 12 },
      );
    },
  );

  await t.test('intervals are the days, weeks and months of the zone', async () => {
    now = new Date('2026-04-02T12:00:00Z');
    const account = testClient(app);
    const { data: segment } = await account.post('/v2/segments', { name: 'Berlin', definition: berlin });
    const starts = async (query: string) =>
      (await account.get(`/v2/segments/${segment.id}/series?${query}`)).data.items.map(({ from }: Point) => from);
    const zone = 'timezone=Europe/Berlin';
    assert.deepEqual(await starts(`${zone}&from=2026-03-28&to=2026-03-30`), [
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    assert.deepEqual(await starts('interval=week&from=2026-03-28&to=2026-04-02'), ['2026-03-28T00:00:00.000Z', '2026-03-30T00:00:00.000Z']);
    assert.deepEqual(await starts('interval=month&from=2026-03-28'), ['2026-03-28T00:00:00.000Z', '2026-04-01T00:00:00.000Z']);
    assert.equal((await starts('interval=day')).length, 30, '30 days by default');
    for (const query of ['from=2026-04-03&to=2026-04-01', 'from=2024-01-01&to=2026-04-01', 'timezone=Berlin', 'interval=hour'])
      assert.equal((await account.get(`/v2/segments/${segment.id}/series?${query}`)).status, 400, query);
  });
});
