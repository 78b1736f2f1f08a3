import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs, Window } from './duration.ts';

test('weeks, days, hours, minutes and seconds have a fixed length', () => {
  assert.equal(durationMs('P1W'), 7 * 86_400_000);
  assert.equal(durationMs('P30D'), 30 * 86_400_000);
  assert.equal(durationMs('PT1H30M'), 5_400_000);
  assert.equal(durationMs('P1DT1S'), 86_401_000);
});

test('rejects durations without a fixed length and other texts', () => {
  for (const text of ['', 'P', 'PT', 'P1DT', 'P1M', 'P1Y', '-P1D', 'P-1D', 'P1.5D', '30D', 'p1d', 'P1D '])
    assert.equal(durationMs(text), undefined, text);
});

test('a window is longer than zero and at most 400 days', () => {
  for (const text of ['PT1S', 'P400D', 'P57W', 'PT9600H']) assert.ok(Window.safeParse(text).success, text);
  for (const text of ['P0D', 'P400DT1S', 'P58W', 'P999999999W']) assert.equal(Window.safeParse(text).success, false, text);
});
