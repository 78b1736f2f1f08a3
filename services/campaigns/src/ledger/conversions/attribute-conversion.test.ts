import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isConversion } from './attribute-conversion.ts';

const dayMs = 86_400_000;

test('a conversion is the event of the campaign, or any with a value, within the days that it chose', () => {
  const since = new Date('2026-03-01T10:00:00Z');
  const after = (ms: number, event = 'signed_up', value: { amount: number; currency: string } | null = null) => ({
    ...{ id: 'event', event, value },
    at: new Date(since.getTime() + ms),
  });
  const value = { amount: 5, currency: 'EUR' };
  const signedUp = { event: 'signed_up', window_days: 30 };
  assert.equal(isConversion(signedUp, after(30 * dayMs), since), true);
  assert.equal(isConversion(signedUp, after(30 * dayMs + 1), since), false);
  assert.equal(isConversion(signedUp, after(dayMs, 'bought', value), since), false);
  const anyValue = { event: null, window_days: 1 };
  assert.equal(isConversion(anyValue, after(dayMs, 'bought', value), since), true);
  assert.equal(isConversion(anyValue, after(dayMs, 'bought'), since), false);
  assert.equal(isConversion(anyValue, after(dayMs + 1, 'bought', value), since), false);
});
