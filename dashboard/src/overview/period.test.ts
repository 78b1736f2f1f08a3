import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showTimesIn } from '../time/zone.ts';
import { daysOf, overviewSearch, rangesOf } from './period.ts';

test('a period ends with today, and the one before it ends where it starts', (t) => {
  showTimesIn('Europe/Berlin');
  t.after(() => showTimesIn('UTC'));
  const { current, previous } = rangesOf(7, new Date('2026-03-31T15:00:00Z'));
  assert.equal(current.from, '2026-03-24T23:00:00.000Z');
  assert.equal(current.to, '2026-03-31T22:00:00.000Z');
  assert.deepEqual(previous, { from: '2026-03-17T23:00:00.000Z', to: current.from });
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
