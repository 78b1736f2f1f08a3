import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { durationLabel, durationOf, durationParts } from './duration.ts';

test('a duration of one unit is read in that unit', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.constantFrom('minutes', 'hours', 'days', 'weeks'), (amount, unit) => {
      assert.deepEqual(durationParts(durationOf(amount, unit)), { amount, unit });
    }),
  );
  assert.equal(durationOf(3, 'days'), 'P3D');
  assert.equal(durationOf(5, 'minutes'), 'PT5M');
});

test('durations of several units, months and text are not read as a single unit', () => {
  for (const text of ['P1DT2H', 'P1M', 'P3H', 'PT1D', 'a day', '']) assert.equal(durationParts(text), undefined, text);
});

test('writes a duration of any units in words, and leaves other text as it is', () => {
  assert.deepEqual(['PT12H', 'P1DT6H', 'PT5M', 'P3D', 'P1M', 'PT1H30M', 'P', 'PT', 'PLAN', 'soon'].map(durationLabel), [
    '12 hours',
    '1 day 6 hours',
    '5 minutes',
    '3 days',
    '1 month',
    '1 hour 30 minutes',
    'P',
    'PT',
    'PLAN',
    'soon',
  ]);
});
