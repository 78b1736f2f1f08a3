import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, newId, trustedId, type VisitorId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import { testParts } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { createVisitorDaysStore, type Presence } from '../rollups/visitor-days-store.ts';
import { quarterMs } from '../time/quarters.ts';
import { rangeOf } from '../time/range.ts';
import { countVisitors } from './count-visitors.ts';

const first = Date.parse('2025-10-20T00:00:00Z');
const day = 96 * quarterMs;

type Seen = { visitor: VisitorId; bot: boolean; at: Date };

/** Writes presences in batches, as counting does; a visitor is known after its first batch. */
async function keep({ mongo }: Parts, accountId: AccountId, seen: readonly Seen[], batch: number) {
  const store = createVisitorDaysStore(mongo.db);
  await store.prepare();
  const known = new Set<VisitorId>();
  for (let from = 0; from < seen.length; from += batch) {
    const presences = seen.slice(from, from + batch).map((one): Presence => ({ ...one, known: known.has(one.visitor) }));
    await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => store.add(tx, accountId, presences));
    for (const { visitor } of presences) known.add(visitor);
  }
  return store;
}

const recount = (seen: readonly Seen[], from: Date, to: Date, bots: boolean) =>
  new Set(seen.filter(({ at, bot }) => at >= from && at < to && (bots || !bot)).map(({ visitor }) => visitor)).size;

const zones = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/Havana', 'Atlantic/Azores', 'Australia/Lord_Howe', 'Pacific/Apia'];

test('visitors of every range and interval in every time zone equal a recount, exactly, for any order and batches', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const presence = fc.record({ visitor: fc.nat(5), quarter: fc.nat(20 * 96), bot: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(presence, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(...zones),
      fc.constantFrom('hour', 'day', 'week', 'month'),
      fc.nat(14 * 96),
      fc.integer({ min: 1, max: 10 * 96 }),
      async (drawn, batch, timezone, interval, begin, length) => {
        const accountId = newId('account');
        const seen = drawn.map(({ visitor, quarter, bot }) => ({
          visitor: trustedId<'visitor'>(`v${visitor}`),
          bot,
          at: new Date(first + quarter * quarterMs),
        }));
        const store = await keep(parts, accountId, seen, batch);
        const iso = (quarter: number) => new Date(first + quarter * quarterMs).toISOString();
        const range = rangeOf({ from: iso(begin), to: iso(begin + length), timezone, interval });
        for (const bots of [false, true]) {
          const { total, series } = await countVisitors(store, accountId, { range, bots });
          assert.deepEqual(total, { count: recount(seen, range.from, range.to, bots), error: 0 });
          const expected = range.buckets.map(({ start, end }) => ({ count: recount(seen, start, end, bots), error: 0 }));
          assert.deepEqual(series, expected);
        }
      },
    ),
    { numRuns: 40 },
  );
});

const few = { whole: { exact: 500, sampled: 500 }, interval: { exact: 500, sampled: 500 } };

test('beyond the bound, visitors are estimated within the reported error; hours and days stay exact', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const accountId = newId('account');
  // The same IDs in every run, so that the sample is the same.
  const seen = Array.from({ length: 12_000 }, (_, index): Seen => {
    const visitor = index % 5_000;
    const quarter = (visitor * 37 + Math.floor(index / 5_000) * 500) % (14 * 96);
    return { visitor: trustedId<'visitor'>(`visitor_${visitor}`), bot: visitor % 10 === 0, at: new Date(first + quarter * quarterMs) };
  });
  const store = await keep(parts, accountId, seen, 2_000);
  const off: number[] = [];
  for (const [begin, length] of Array.from({ length: 20 }, (_, index) => [index * 40 + 7, 9 * 96 - index * 20] as const)) {
    const iso = (quarter: number) => new Date(first + quarter * quarterMs).toISOString();
    const range = rangeOf({ from: iso(begin), to: iso(begin + length), timezone: 'Europe/Berlin', interval: 'day' });
    for (const bots of [false, true]) {
      const { total, series } = await countVisitors(store, accountId, { range, bots, bounds: few });
      const truth = recount(seen, range.from, range.to, bots);
      assert.ok(total.error > 0 && total.error < 0.1, `${total.error}`);
      off.push((total.count - truth) / truth / total.error);
      for (const [index, { start, end }] of range.buckets.entries()) {
        const { count, error = 0 } = series[index] ?? {};
        if (end.getTime() - start.getTime() === day) assert.deepEqual([count, error], [recount(seen, start, end, bots), 0]);
      }
    }
  }
  assert.ok(
    off.every((errors) => Math.abs(errors) < 4),
    `${off}`,
  );
  assert.ok(Math.sqrt(off.reduce((sum, errors) => sum + errors ** 2, 0) / off.length) < 1.6, `${off}`);
});

test('the rows read per request do not grow with the account', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const accountId = newId('account');
  const seen = Array.from(
    { length: 6_000 },
    (_, index): Seen => ({
      visitor: trustedId<'visitor'>(`visitor_${index}`),
      bot: false,
      at: new Date(first + (index % 960) * quarterMs),
    }),
  );
  const store = await keep(parts, accountId, seen, 2_000);
  const rows = async (bounds?: typeof few) => {
    await parts.mongo.db.command({ profile: 2 });
    await countVisitors(store, accountId, {
      range: rangeOf({ from: '2025-10-20', to: '2025-10-29', timezone: 'UTC', interval: 'week' }),
      bots: false,
      bounds,
    });
    await parts.mongo.db.command({ profile: 0 });
    const read = await parts.mongo.db
      .collection<{ keysExamined: number }>('system.profile')
      .find({ 'command.aggregate': 'visitor_days' })
      .toArray();
    await parts.mongo.db.collection('system.profile').drop();
    return read.map(({ keysExamined }) => keysExamined);
  };
  const [whole = 0] = await rows();
  assert.ok(whole >= 6_000, `${whole}`);
  for (const keys of await rows(few)) assert.ok(keys < 1_000, `${keys}`);
});
