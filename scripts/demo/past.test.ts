import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hoursOf } from './past.ts';

test('the hours of a report add up to its totals, and begin with the campaign', () => {
  const totals = new Map([
    ['opened_human', 137],
    ['clicked_human', 41],
  ]);
  const hours = hoursOf(totals, new Date('2026-03-02T08:00:00Z'));
  const sumOf = (name: string) => [...hours.values()].reduce((sum, counts) => sum + (counts[name] ?? 0), 0);
  assert.deepEqual([sumOf('opened_human'), sumOf('clicked_human')], [137, 41]);
  const [first] = hours.keys();
  assert.equal(first, '2026-03-02T08');
  assert.ok((hours.get('2026-03-02T08')?.opened_human ?? 0) > (hours.get('2026-03-03T09')?.opened_human ?? 0));
});

test('a campaign that was not opened has no hours', () => {
  assert.equal(hoursOf(new Map(), new Date()).size, 0);
});
