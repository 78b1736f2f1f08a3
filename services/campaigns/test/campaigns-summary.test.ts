import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest } from './setting.ts';

const year = 'from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z';

test('GET /v2/campaigns/summary', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => `/v2/campaigns/summary?${year}` });
  const account = testClient(app);
  const { db } = parts.mongo;

  /** A campaign that started at this time, with these counters. */
  async function started(at: string, counters: Record<string, number>, owner = account) {
    const { id } = (await owner.post('/v2/campaigns', smallest)).data;
    const change = { started_at: new Date(at), audience_count: 100 };
    await db.collection<{ _id: string }>('campaigns').updateOne({ _id: id }, { $set: change });
    const _id = `${owner.accountId} ${id}`;
    await db
      .collection<{ _id: string }>('counters')
      .insertOne({ _id, account_id: owner.accountId, source_id: id, counters } as { _id: string });
  }
  const summary = async (query: string, owner = account) => (await owner.get(`/v2/campaigns/summary?${query}`)).data;

  await t.test('sums the campaigns that started in the range, in total and by the day in the time zone', async () => {
    await started('2026-03-01T10:00:00Z', { sent: 70, delivered: 20, bounced: 10, opened_human_unique: 45, clicked_human_unique: 9 });
    await started('2026-03-01T23:30:00Z', { sent: 10, opened_human_unique: 5, unsubscribed: 1, revenue_EUR: 490_000 });
    await started('2026-05-01T00:00:00Z', { sent: 50 });
    await started('2026-03-01T10:00:00Z', { sent: 1_000 }, testClient(app));
    await account.post('/v2/campaigns', smallest);

    const march = await summary('from=2026-03-01T00:00:00Z&to=2026-05-01T00:00:00Z&timezone=Europe/Berlin');
    assert.deepEqual([march.campaigns, march.truncated, march.counts.recipients, march.counts.accepted], [2, false, 200, 100]);
    assert.deepEqual(march.rates, { open: 0.5, click: 0.09, unsubscribe: 0.01, bounce: 10 / 110 });
    assert.deepEqual(march.counts.revenue, [{ currency: 'EUR', amount: 49 }]);
    assert.deepEqual(march.days, [
      { date: '2026-03-01', campaigns: 1, accepted: 90, opened: 45, clicked: 9, unsubscribed: 0, bounced: 10 },
      { date: '2026-03-02', campaigns: 1, accepted: 10, opened: 5, clicked: 0, unsubscribed: 1, bounced: 0 },
    ]);
    assert.equal((await summary('from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00Z')).counts.accepted, 50);
  });

  await t.test('has no rates without emails', async () => {
    const { rates, days, counts } = await summary(year, testClient(app));
    assert.deepEqual([rates, days, counts.accepted], [{ open: null, click: null, unsubscribe: null, bounce: null }, [], 0]);
  });

  await t.test('rejects ranges that are empty or too long', async () => {
    for (const query of [
      'from=2026-03-01T00:00:00Z',
      'from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z',
      'from=2026-03-01T00:00:00Z&to=2027-05-01T00:00:00Z',
      `${year}&timezone=Mars`,
    ])
      assert.deepEqual([query, (await account.get(`/v2/campaigns/summary?${query}`)).status], [query, 400]);
  });
});
