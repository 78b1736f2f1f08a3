import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DateTime } from 'luxon';
import { comparisonRange } from './comparison-range.ts';

test('a comparison moves whole days of the time zone by the calendar, and other ranges by their length', () => {
  const berlin = (text: string) => DateTime.fromISO(text, { zone: 'Europe/Berlin' }).toJSDate();
  const compared = (from: string, to: string, kind: 'previous' | 'year') => {
    const range = comparisonRange({ from: berlin(from), to: berlin(to) }, kind, 'Europe/Berlin');
    return [range.from, range.to].map((at) => DateTime.fromJSDate(at, { zone: 'Europe/Berlin' }).toFormat("yyyy-MM-dd'T'HH:mm"));
  };
  assert.deepEqual(compared('2026-03-29', '2026-03-30', 'previous'), ['2026-03-28T00:00', '2026-03-29T00:00']);
  assert.deepEqual(compared('2026-03-30', '2026-04-02', 'previous'), ['2026-03-27T00:00', '2026-03-30T00:00']);
  assert.deepEqual(compared('2026-03-29T01:00', '2026-03-29T04:00', 'previous'), ['2026-03-28T23:00', '2026-03-29T01:00']);
  assert.deepEqual(compared('2024-02-29', '2024-03-01', 'year'), ['2023-02-28T00:00', '2023-03-01T00:00']);
});
