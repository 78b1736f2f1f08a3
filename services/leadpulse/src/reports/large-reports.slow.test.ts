import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/parts';
import { buildApp } from '../app.ts';
import { createEventsStore } from '../events/events-store.ts';
import { createSessionsStore } from '../sessions/sessions-store.ts';
import { createSettingsStore } from '../settings/settings-store.ts';
import { createVisitorsStore } from '../visitors/visitors-store.ts';
import { prepareReport } from './report-kinds.ts';

const eventCount = 200_000;
const peopleCount = 20_000;
const dayMs = 86_400_000;
const days = 28;

/** A result, untyped: tests assert its fields instead of declaring them. */
type Found = ReturnType<typeof JSON.parse>;

/** A repeatable sequence of numbers from 0 to 1. */
function numbers(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('a funnel and its retention over 200,000 events are exact to the visitor', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const { db } = parts.mongo;
  const stores = {
    events: createEventsStore(db),
    sessions: createSessionsStore(db),
    visitors: createVisitorsStore(db, parts.cursors),
    settings: createSettingsStore(db),
  };
  const random = numbers(7);
  const start = Math.floor(Date.now() / dayMs) * dayMs - days * dayMs;
  const visitors = Array.from({ length: peopleCount }, () => newId('visitor'));
  const drawn = Array.from({ length: eventCount }, (_, index) => {
    const chance = random();
    return {
      visitor: visitors[Math.floor(random() * peopleCount)] ?? '',
      name: chance < 0.7 ? '$pageview' : chance < 0.9 ? 'signup' : 'purchase',
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
  const byPerson = [...Map.groupBy(drawn, ({ visitor }) => visitor).values()].map((own) =>
    own.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)),
  );

  await t.test('visit, sign-up, purchase within three days', async () => {
    const windowMs = 3 * dayMs;
    const expected = [0, 0, 0];
    for (const own of byPerson) {
      const reached = own.map((entry, index) => {
        if (entry.name !== '$pageview') return 0;
        const within = own.slice(index + 1).filter(({ at }) => at - entry.at <= windowMs);
        const signup = within.findIndex(({ name }) => name === 'signup');
        if (signup === -1) return 1;
        return within.slice(signup + 1).some(({ name }) => name === 'purchase') ? 3 : 2;
      });
      const best = Math.max(...reached);
      for (const step of [0, 1, 2]) if (best > step) expected[step] = (expected[step] ?? 0) + 1;
    }
    const steps = [{ event: '$pageview' }, { event: 'signup' }, { event: 'purchase' }];
    const data: Found = await prepareReport('funnel', { ...range, steps, window: 'P3D' }).run(stores, account.accountId);
    assert.deepEqual([data.events_read, data.steps.map(({ people }: { people: number }) => people)], [eventCount, expected]);
  });

  await t.test('the second half compared with the first, by event', async () => {
    const middle = start + (days / 2) * dayMs;
    const countsOf = (from: number, name?: string) => {
      const own = drawn.filter(
        (entry) => entry.at >= from && entry.at < from + (days / 2) * dayMs && (name === undefined || entry.name === name),
      );
      return { visitors: new Set(own.map(({ visitor }) => visitor)).size, events: own.length };
    };
    const body = {
      from: new Date(middle).toISOString(),
      to: range.to,
      metrics: ['visitors', 'events'],
      dimensions: ['event'],
      compare: 'previous',
    };
    const data: Found = await prepareReport('query', body).run(stores, account.accountId);
    assert.deepEqual([data.totals, data.previous_totals], [countsOf(middle), countsOf(start)]);
    const rows = data.rows.map(({ values: [name], metrics, previous }: Found) => [name, metrics, previous]);
    assert.deepEqual(
      rows,
      ['$pageview', 'signup', 'purchase'].map((name) => [name, countsOf(middle, name), countsOf(start, name)]),
    );
  });

  await t.test('sign-ups that return for a purchase, by day', async () => {
    const people = Array<number>(days).fill(0);
    const returned = people.map(() => Array<number>(days).fill(0));
    for (const own of byPerson) {
      const first = own.findIndex(({ name }) => name === 'signup');
      const cohort = Math.floor(((own[first]?.at ?? 0) - start) / dayMs);
      if (first === -1) continue;
      people[cohort] = (people[cohort] ?? 0) + 1;
      const later = own.slice(first + 1).filter(({ name }) => name === 'purchase');
      for (const day of new Set(later.map(({ at }) => Math.floor((at - start) / dayMs)))) {
        const row = returned[cohort];
        if (row) row[day - cohort] = (row[day - cohort] ?? 0) + 1;
      }
    }
    const body = { ...range, first: { event: 'signup' }, returning: { event: 'purchase' }, interval: 'day' };
    const data: Found = await prepareReport('retention', body).run(stores, account.accountId);
    type Cohort = { people: number; periods: { returned: { numerator: number } }[] };
    assert.deepEqual(
      data.cohorts.map((cohort: Cohort) => [cohort.people, cohort.periods.map((period) => period.returned.numerator)]),
      people.map((count, cohort) => [count, returned[cohort]?.slice(0, days - cohort)]),
    );
  });
});
