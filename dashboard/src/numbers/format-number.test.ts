import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, count, counted, duration, money, roughDuration, share, shareInColumn } from './format-number.ts';

test('formats counts, shares, amounts and sizes', () => {
  assert.equal(count(1234567), '1,234,567');
  assert.equal(share(0.2226), '22.3%');
  assert.equal(share(null), '–', 'no value is not zero');
  assert.deepEqual([0.22, 1, null].map(shareInColumn), ['22.0%', '100.0%', '–'], 'digits below each other');
  assert.equal(money(1617.5, 'EUR'), '€1,617.50');
  assert.equal(money(90, 'USD'), '$90');
  assert.equal(counted(1, 'contact'), '1 contact');
  assert.equal(counted(0, 'contact'), '0 contacts');
  assert.deepEqual([0, 999, 1_234, 5_000_000, 2e12].map(bytes), ['0 B', '999 B', '1.2 kB', '5 MB', '2,000 GB']);
});

test('formats a duration without zero parts', () => {
  assert.deepEqual([0.2, 5, 125, 3_600, 7_325].map(duration), ['0s', '5s', '2m 5s', '1h', '2h 2m 5s']);
});

test('formats a long duration in its largest unit', () => {
  assert.deepEqual([0, 1, 90, 7_200, 216_000].map(roughDuration), ['0 seconds', '1 second', '1.5 minutes', '2 hours', '2.5 days']);
});
