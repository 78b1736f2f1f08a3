import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showTimesIn } from '../time/zone.ts';
import { isUnfinished } from './interval.ts';

test('an hour, a day or a week is unfinished until it ends in the zone of the account', (t) => {
  showTimesIn('Europe/Berlin');
  t.after(() => showTimesIn('UTC'));
  const at = (time: string) => Date.parse(time);
  assert.equal(isUnfinished('2026-07-01T10:00:00Z', 'hour', at('2026-07-01T10:59:59Z')), true);
  assert.equal(isUnfinished('2026-07-01T10:00:00Z', 'hour', at('2026-07-01T11:00:00Z')), false);
  // Midnight in Berlin is at 22:00 UTC.
  for (const start of ['2026-07-01', '2026-06-30T22:00:00Z']) {
    assert.equal(isUnfinished(start, 'day', at('2026-07-01T21:59:59Z')), true);
    assert.equal(isUnfinished(start, 'day', at('2026-07-01T22:00:00Z')), false);
    assert.equal(isUnfinished(start, 'week', at('2026-07-07T21:59:59Z')), true);
    assert.equal(isUnfinished(start, 'week', at('2026-07-07T22:00:00Z')), false);
  }
});
