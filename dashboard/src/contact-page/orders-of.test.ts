import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ordersOf } from './orders-of.ts';

test('orders are the events with a value, and amounts of one currency are added exactly', () => {
  const event = (amount: number, currency = 'EUR') => ({ value: { amount, currency } });
  assert.deepEqual(ordersOf([event(0.1), { value: null }, event(0.2), event(3, 'USD'), event(-0.1)]), {
    count: 4,
    revenue: [
      { currency: 'USD', amount: 3 },
      { currency: 'EUR', amount: 0.2 },
    ],
  });
  assert.deepEqual(ordersOf([]), { count: 0, revenue: [] });
});
