import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysOf, overviewSearch, rangesOf } from './period.ts';

test('a period ends with today, and the one before it ends where it starts', () => {
  const { current, previous } = rangesOf(7, new Date(2026, 2, 31, 15));
  assert.equal(current.from, new Date(2026, 2, 25).toISOString());
  assert.equal(current.to, new Date(2026, 3, 1).toISOString());
  assert.deepEqual(previous, { from: new Date(2026, 2, 18).toISOString(), to: current.from });
  assert.deepEqual(
    [daysOf(current).length, daysOf(current)[0], daysOf(current).at(-1)],
    [7, '2026-03-25', '2026-03-31'],
    'also across a change of the clock',
  );
});

test('the URL has a known period or none', () => {
  assert.deepEqual(overviewSearch({ days: '90' }), { days: 90 });
  assert.deepEqual(overviewSearch({ days: '31' }), {});
});
