import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { testCounting } from '../../test/counting.ts';
import { countFunnel, countRange, countRetention, randomEventName, randomNumbers } from '../../test/generated-events.ts';
import { buildApp } from '../app.ts';
import { prepareReport } from './report-kinds.ts';

const eventCount = 200_000;
const peopleCount = 20_000;
const dayMs = 86_400_000;
const days = 28;

/** A result, untyped: tests assert its fields instead of declaring them. */
type Found = ReturnType<typeof JSON.parse>;

test('a funnel and its retention over 200,000 events are exact to the visitor', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const stores = testCounting(parts);
  const random = randomNumbers(7);
  const start = Math.floor(Date.now() / dayMs) * dayMs - days * dayMs;
  const visitors = Array.from({ length: peopleCount }, () => newId('visitor'));
  const drawn = Array.from({ length: eventCount }, (_, index) => {
    const visitor = visitors[Math.floor(random() * peopleCount)] ?? '';
    return {
      ...{ person: visitor, visitor },
      name: randomEventName(random()),
      at: start + Math.floor(random() * days * dayMs),
      id: `m${String(index).padStart(6, '0')}`,
    };
  });
  for (let from = 0; from < eventCount; from += 20_000) {
    const rows = drawn.slice(from, from + 20_000).map(({ visitor, name, at, id }) => ({
      _id: `${account.accountId} ${id}`,
      ...{ account_id: account.accountId, message_id: id, visitor, name, time: new Date(at), bot: false, contact_id: null },
      ...{ properties: [], page: { path: '/' }, utm: null, device: null, browser: null, os: null, country: null, value: null },
    }));
    await parts.mongo.db.collection<{ _id: string }>('events').insertMany(rows, { ordered: false });
  }
  const range = { from: new Date(start).toISOString(), to: new Date(start + days * dayMs).toISOString() };

  await t.test('visit, sign-up, purchase within three days', async () => {
    const steps = [{ event: '$pageview' }, { event: 'signup' }, { event: 'purchase' }];
    const data: Found = await prepareReport('funnel', { ...range, steps, window: 'P3D' }).run(stores, account.accountId);
    assert.deepEqual(
      [data.events_read, data.steps.map(({ people }: { people: number }) => people)],
      [eventCount, countFunnel(drawn, 3 * dayMs)],
    );
  });

  await t.test('the second half compared with the first, by event', async () => {
    const middle = start + (days / 2) * dayMs;
    const halfOf = (from: number, name?: string) => countRange(drawn, from, from + (days / 2) * dayMs, name);
    const body = {
      from: new Date(middle).toISOString(),
      to: range.to,
      metrics: ['visitors', 'events'],
      dimensions: ['event'],
      compare: 'previous',
    };
    const data: Found = await prepareReport('query', body).run(stores, account.accountId);
    assert.deepEqual([data.totals, data.previous_totals], [halfOf(middle), halfOf(start)]);
    const rows = data.rows.map(({ values: [name], metrics, previous }: Found) => [name, metrics, previous]);
    assert.deepEqual(
      rows,
      ['$pageview', 'signup', 'purchase'].map((name) => [name, halfOf(middle, name), halfOf(start, name)]),
    );
  });

  await t.test('sign-ups that return for a purchase, by day', async () => {
    const body = { ...range, first: { event: 'signup' }, returning: { event: 'purchase' }, interval: 'day' };
    const data: Found = await prepareReport('retention', body).run(stores, account.accountId);
    type Cohort = { people: number; periods: { returned: { numerator: number } }[] };
    assert.deepEqual(
      data.cohorts.map((cohort: Cohort) => [cohort.people, cohort.periods.map((period) => period.returned.numerator)]),
      countRetention(drawn, start, days),
    );
  });
});
