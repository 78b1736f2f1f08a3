import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { DateTime } from 'luxon';
import { testCounting } from '../../test/counting.ts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';
import { readFiltered } from './filtered-analytics.ts';

test('GET /v2/leadpulse/analytics with a filter and a comparison', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const today = DateTime.utc().startOf('day');
  const dateOf = (daysAgo: number) => today.minus({ days: daysAgo }).toISODate();
  const on = (daysAgo: number, time: string) => `${dateOf(daysAgo)}T${time}Z`;
  const read = async (account: ReturnType<typeof testClient>, query = '') => {
    const response = await account.get(`/v2/leadpulse/analytics${query && `?${query}`}`);
    assert.equal(response.status, 200, response.text);
    return response.data;
  };

  await t.test('compares with the range before, and counts only what a filter selects', async () => {
    const account = testClient(app);
    await trackAndCount(parts, account, [
      view('a', on(2, '10:00:00'), '/pricing'),
      view('a', on(2, '10:05:00'), '/docs'),
      view('b', on(1, '10:00:00'), '/docs'),
      view('a', on(3, '10:00:00'), '/docs'),
      view('c', on(4, '10:00:00'), '/docs'),
      view('c', on(4, '10:10:00'), '/docs/more'),
    ]);
    const days = `from=${dateOf(2)}&to=${dateOf(1)}&compare=previous`;
    const { totals, comparison } = await read(account, days);
    assert.deepEqual([totals.pageviews, totals.visitors, comparison.totals.pageviews, comparison.totals.visitors], [3, 2, 3, 2]);
    assert.deepEqual(
      comparison.series.map(({ pageviews }: { pageviews: number }) => pageviews),
      [2, 1],
    );
    assert.equal((await read(account)).comparison, null);
    const filter = encodeURIComponent(JSON.stringify({ dimension: 'page', op: 'eq', value: '/docs' }));
    const filtered = await read(account, `${days}&filter=${filter}&by=page`);
    assert.deepEqual([filtered.totals.pageviews, filtered.comparison.totals.pageviews], [2, 2]);
    assert.deepEqual(
      filtered.breakdown.items.map(({ value, pageviews }: { value: string; pageviews: number }) => [value, pageviews]),
      [['/docs', 2]],
    );
    assert.deepEqual([filtered.series.length, filtered.comparison.series.length, filtered.comparison.series[0].pageviews], [2, 2, 1]);
  });

  await t.test('with a filter, compares with the year before, and reads a bounded number of events', async () => {
    const account = testClient(app);
    const yearAgo = today.minus({ days: 2 }).minus({ years: 1 }).set({ hour: 10 }).toISO() ?? '';
    await trackAndCount(parts, account, [view('a', on(2, '10:00:00'), '/docs'), view('a', yearAgo, '/docs'), view('b', yearAgo, '/docs')]);
    const filter = encodeURIComponent(JSON.stringify({ dimension: 'page', op: 'eq', value: '/docs' }));
    const query = `from=${dateOf(2)}&to=${dateOf(2)}&compare=year`;
    for (const more of ['', `&filter=${filter}`]) {
      const { totals, comparison } = await read(account, `${query}${more}`);
      assert.deepEqual([totals.visitors, comparison.totals.visitors, comparison.from.slice(0, 10)], [1, 2, yearAgo.slice(0, 10)], more);
    }
    const counting = testCounting(parts);
    const stores = { ...counting, events: { ...counting.events, matching: async () => 100_001 } };
    const request = { filter: { dimension: 'page', op: 'exists' } } as const;
    await assert.rejects(readFiltered(stores, account.accountId, request), ({ details }) => details[0].code === 'too_many_events');
  });
});
