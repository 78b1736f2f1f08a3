import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showTimesIn } from '../time/zone.ts';
import { codesIn, couponName, couponOf, newCoupon } from './coupon-draft.ts';

test('codes are read from lines, commas and CSV, each once', () => {
  assert.deepEqual(codesIn('A1\r\nB2, C3;"D4"\n\nA1\n'), ['A1', 'B2', 'C3', 'D4']);
});

test('a name becomes one that emails can read', () => {
  assert.deepEqual(['Spring sale', '10 % off!', 'spring_sale', 'Frühling'].map(couponName), [
    'spring_sale',
    'off',
    'spring_sale',
    'fru_hling',
  ]);
});

test('a coupon has generated codes, uploaded ones, or one for everybody', () => {
  const draft = { ...newCoupon, name: 'Spring', codes: ' SPRING10 ' };
  assert.deepEqual(couponOf({ ...draft, count: 5, prefix: 'S-' }), { name: 'spring', generate: { count: 5, prefix: 'S-', length: 8 } });
  assert.deepEqual(couponOf({ ...draft, source: 'upload' }), { name: 'spring', codes: ['SPRING10'] });
  assert.deepEqual(couponOf({ ...draft, source: 'shared' }), { name: 'spring', codes: ['SPRING10'], single_use: false });
});

test('a coupon expires at the end of the day in the time zone of the account', (t) => {
  showTimesIn('America/New_York');
  t.after(() => showTimesIn('UTC'));
  assert.equal(couponOf({ ...newCoupon, expires: '2026-01-31' }).expires_at, '2026-02-01T04:59:59.000Z');
});
