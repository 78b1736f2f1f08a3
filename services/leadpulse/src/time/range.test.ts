import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bucketNumbers, rangeOf } from './range.ts';

const now = new Date('2026-11-21T08:05:00Z');
const hours = (range: ReturnType<typeof rangeOf>) => range.buckets.map(({ start, end }) => (end.getTime() - start.getTime()) / 3_600_000);

test('defaults to the last 30 days, including today, up to now', () => {
  const { from, to, buckets } = rangeOf({ timezone: 'Europe/Berlin', interval: 'day' }, now);
  assert.deepEqual([from.toISOString(), to.toISOString(), buckets.length], ['2026-10-22T22:00:00.000Z', '2026-11-21T08:15:00.000Z', 30]);
});

test('days are those of the time zone: 23, 24 or 25 hours from midnight, for any offset', () => {
  assert.deepEqual(hours(rangeOf({ from: '2026-03-28', to: '2026-03-30', timezone: 'Europe/Berlin', interval: 'day' }, now)), [24, 23, 24]);
  assert.deepEqual(hours(rangeOf({ from: '2026-10-24', to: '2026-10-26', timezone: 'Europe/Berlin', interval: 'day' }, now)), [24, 25, 24]);
  const kathmandu = rangeOf({ from: '2026-11-01', to: '2026-11-01', timezone: 'Asia/Kathmandu', interval: 'day' }, now);
  assert.deepEqual([kathmandu.from.toISOString(), kathmandu.to.toISOString()], ['2026-10-31T18:15:00.000Z', '2026-11-01T18:15:00.000Z']);
  assert.equal(rangeOf({ from: '2026-10-25', to: '2026-10-25', timezone: 'Europe/Berlin', interval: 'hour' }, now).buckets.length, 25);
  assert.deepEqual(hours(rangeOf({ from: '2028-02-28', to: '2028-03-01', timezone: 'UTC', interval: 'day' }, now)), [24, 24, 24]);
});

test('a day with two midnights starts at the first', () => {
  const havana = rangeOf({ from: '2025-11-01', to: '2025-11-03', timezone: 'America/Havana', interval: 'day' }, now);
  assert.deepEqual(hours(havana), [24, 25, 24]);
  assert.equal(havana.buckets[1]?.start.toISOString(), '2025-11-02T04:00:00.000Z');
  const azores = rangeOf({ from: '2025-10-26', to: '2025-10-26', timezone: 'Atlantic/Azores', interval: 'day' }, now);
  assert.deepEqual([azores.from.toISOString(), hours(azores)], ['2025-10-26T00:00:00.000Z', [25]]);
  const today = rangeOf({ timezone: 'America/Havana', interval: 'day' }, new Date('2025-12-01T12:00:00Z'));
  assert.deepEqual([today.from.toISOString(), hours(today)[0]], ['2025-11-02T04:00:00.000Z', 25]);
  const month = rangeOf({ from: '2026-10-01', to: '2026-11-30', timezone: 'America/Havana', interval: 'month' }, now);
  assert.deepEqual(hours(month), [31 * 24, 30 * 24 + 1]);
  const skipped = rangeOf({ from: '2026-03-07', to: '2026-03-09', timezone: 'America/Havana', interval: 'day' }, now);
  assert.deepEqual(hours(skipped), [24, 23, 24], 'a day without midnight starts at its first instant');
});

test('weeks start on Monday and months on the first; the range cuts the first and last interval', () => {
  const weeks = rangeOf({ from: '2026-11-04', to: '2026-11-17', timezone: 'UTC', interval: 'week' }, now);
  assert.deepEqual(
    weeks.buckets.map(({ start }) => start.toISOString().slice(0, 10)),
    ['2026-11-04', '2026-11-09', '2026-11-16'],
  );
  const months = rangeOf({ from: '2026-01-31', to: '2026-03-01', timezone: 'America/New_York', interval: 'month' }, now);
  assert.deepEqual(
    months.buckets.map(({ start }) => start.toISOString()),
    ['2026-01-31T05:00:00.000Z', '2026-02-01T05:00:00.000Z', '2026-03-01T05:00:00.000Z'],
  );
});

test('rejects a range that is too long or ends before it starts', () => {
  const query = { timezone: 'UTC', interval: 'day' } as const;
  for (const [part, code] of [
    [{ from: '2026-11-02', to: '2026-11-01' }, 'empty_range'],
    [{ from: '2024-01-01', to: '2026-11-01' }, 'range_too_long'],
    [{ from: '2026-01-01', to: '2026-11-01', interval: 'hour' as const }, 'too_many_intervals'],
  ] as const) {
    assert.throws(
      () => rangeOf({ ...query, ...part }, now),
      (error: { details?: { code?: string }[] }) => error.details?.[0]?.code === code,
    );
  }
});

const dateIn = (timeZone: string, at: Date) => at.toLocaleDateString('sv', { timeZone });

test('the intervals of any range are contiguous and start on quarters of an hour', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(
        ...['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'],
        ...['America/Havana', 'Atlantic/Azores', 'Africa/Monrovia', 'Africa/Cairo'],
      ),
      fc.constantFrom('1970-12-01', '2011-10-01', '2025-06-01', '2025-06-01', '2198-06-01'),
      fc.constantFrom('hour', 'day', 'week', 'month'),
      fc.integer({ min: 0, max: 500 * 1_440 }),
      fc.integer({ min: 1, max: 30 * 1_440 }),
      (timezone, first, interval, startMinute, minutes) => {
        const start = Date.parse(`${first}T00:00:00Z`) + startMinute * 60_000;
        const iso = (ms: number) => new Date(ms).toISOString();
        const range = rangeOf({ from: iso(start), to: iso(start + minutes * 60_000), timezone, interval }, now);
        assert.deepEqual(range.buckets[0]?.start, range.from);
        assert.deepEqual(range.buckets.at(-1)?.end, range.to);
        for (const [index, { start: from, end }] of range.buckets.entries()) {
          assert.ok(from < end && from.getTime() % 900_000 === 0);
          if (index > 0) assert.deepEqual(from, range.buckets[index - 1]?.end);
          // Only historical offsets with half minutes have days that start between quarters.
          if (index > 0 && interval === 'day' && timezone !== 'Africa/Monrovia')
            assert.notEqual(dateIn(timezone, from), dateIn(timezone, new Date(from.getTime() - 1)));
        }
        assert.equal(bucketNumbers(range).length, (range.to.getTime() - range.from.getTime()) / 900_000);
      },
    ),
    { numRuns: 300, examples: [['Africa/Monrovia', '1970-12-01', 'week', 539_986, 43_200]] },
  );
});
