import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showTimesIn } from '../time/zone.ts';
import { type Interval, isUnfinished } from './interval.ts';

test('an hour, a day or a week is unfinished until it ends in the zone of the account', (t) => {
  showTimesIn('Europe/Berlin');
  t.after(() => showTimesIn('UTC'));
  const unfinishedAt = (now: string, start: string, interval: Interval) => isUnfinished(start, interval, undefined, Date.parse(now));
  assert.equal(unfinishedAt('2026-07-01T10:59:59Z', '2026-07-01T10:00:00Z', 'hour'), true);
  assert.equal(unfinishedAt('2026-07-01T11:00:00Z', '2026-07-01T10:00:00Z', 'hour'), false);
  // Midnight in Berlin is at 22:00 UTC.
  for (const start of ['2026-07-01', '2026-06-30T22:00:00Z']) {
    assert.equal(unfinishedAt('2026-07-01T21:59:59Z', start, 'day'), true);
    assert.equal(unfinishedAt('2026-07-01T22:00:00Z', start, 'day'), false);
    assert.equal(unfinishedAt('2026-07-07T21:59:59Z', start, 'week'), true);
    assert.equal(unfinishedAt('2026-07-07T22:00:00Z', start, 'week'), false);
  }
});

test('a UTC day is unfinished until midnight UTC, even in an account whose zone is ahead', (t) => {
  showTimesIn('Asia/Tokyo');
  t.after(() => showTimesIn('UTC'));
  assert.equal(isUnfinished('2026-07-01', 'day', 'UTC', Date.parse('2026-07-01T23:59:59Z')), true);
  assert.equal(isUnfinished('2026-07-01', 'day', 'UTC', Date.parse('2026-07-02T00:00:00Z')), false);
});
