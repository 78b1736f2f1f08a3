import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showTimesIn } from '../time/zone.ts';
import { expiryOf } from './expiry.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');

test('counts a lifetime from now, to the second', () => {
  assert.equal(expiryOf('never', '', now), null);
  assert.equal(expiryOf('7', '', now), '2026-03-08T12:00:00.000Z');
  assert.equal(expiryOf('365', '', now), '2027-03-01T12:00:00.000Z');
});

test("expires at the end of the chosen day, in the account's time zone", (t) => {
  showTimesIn('America/New_York');
  t.after(() => showTimesIn('UTC'));
  assert.equal(expiryOf('date', '2026-03-07', now), '2026-03-08T04:59:59.000Z');
  assert.equal(expiryOf('date', '2026-03-08', now), '2026-03-09T03:59:59.000Z');
});
