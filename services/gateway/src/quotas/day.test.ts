import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayOf } from './day.ts';

test('a day is the UTC calendar day, including on leap days, and always has whole seconds left', () => {
  assert.deepEqual(dayOf(Date.parse('2028-02-29T12:00:00.500Z')), {
    date: '2028-02-29',
    resetAt: Date.parse('2028-03-01T00:00:00Z'),
    secondsLeft: 43_200,
  });
  fc.assert(
    fc.property(fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), (date) => {
      const day = dayOf(date.getTime());
      assert.equal(day.date, date.toISOString().slice(0, 10));
      assert.ok(day.secondsLeft >= 1 && day.secondsLeft <= 86_400);
    }),
  );
});
