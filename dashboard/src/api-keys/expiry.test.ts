import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf, expiryOf } from './expiry.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');

test('counts a lifetime from now, to the second', () => {
  assert.equal(expiryOf('never', '', now), null);
  assert.equal(expiryOf('7', '', now), '2026-03-08T12:00:00.000Z');
  assert.equal(expiryOf('365', '', now), '2027-03-01T12:00:00.000Z');
});

test('expires at the end of the chosen day, in local time', () => {
  const end = new Date(expiryOf('date', '2026-03-09', now) ?? '');
  assert.deepEqual([end.getFullYear(), end.getMonth(), end.getDate(), end.getHours(), end.getMinutes()], [2026, 2, 9, 23, 59]);
});

test('offers today, in local time, as the first day', () => {
  assert.equal(dayOf(new Date(2026, 2, 1, 0, 30)), '2026-03-01');
  assert.equal(dayOf(new Date(2026, 10, 30, 23, 30)), '2026-11-30');
});
