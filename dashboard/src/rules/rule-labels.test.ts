import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionLabel } from './rule-labels.ts';

test('writes conditions as sentences', () => {
  const named = (id: string) => (id === 'segment_1' ? '“Berlin”' : id);
  const words = [
    conditionLabel({ field: 'address.city', op: 'in', value: ['Berlin', 'Wien'] }),
    conditionLabel({ field: 'tags', op: 'contains', value: 'vip' }),
    conditionLabel({ field: 'attributes.seats', op: 'gte', value: 8 }),
    conditionLabel({ field: 'phone', op: 'missing' }),
    conditionLabel({ date: 'created_at', op: 'in_last', value: 'P30D' }),
    conditionLabel({ date: 'attributes.born', op: 'anniversary', within: 'P1W' }),
    conditionLabel({ event: 'order_placed', where: { 'properties.total': { gte: 50 } }, count: { gte: 3 }, in_last: 'P30D' }),
    conditionLabel({ event: 'order_placed', count: { eq: 0 } }),
    conditionLabel({ event: 'order_placed', sum: { of: 'value.amount', currency: 'EUR', gt: 500 }, in_last: 'P90D' }),
    conditionLabel({ event: 'order_placed', last: { op: 'not_in_last', value: 'P30D' } }),
    conditionLabel({ sequence: [{ event: 'added_to_cart' }, { not_event: 'order_placed' }], within: 'P1D', in_last: 'P30D' }),
    conditionLabel({ campaign: 'any', activity: 'clicked', in_last: 'P1D' }),
    conditionLabel({ segment: 'segment_1', op: 'not_in' }, named),
  ];
  assert.deepEqual(words, [
    'City is one of “Berlin”, “Wien”',
    'Tags have “vip”',
    'seats is at least 8',
    'Phone has no value',
    'Date created was in the last 30 days',
    'born has its anniversary within 1 week',
    'Did “Order placed” at least 3 times with total is at least 50 in the last 30 days',
    'Did “Order placed” 0 times',
    'Did “Order placed”, and a total value.amount in EUR is greater than 500 in the last 90 days',
    'Did “Order placed”, and the last time was not in the last 30 days',
    'Did “Added to cart”, then not “Order placed” within 1 day, in the last 30 days',
    'Any campaign: clicked at least once in the last day',
    'Is not in the segment “Berlin”',
  ]);
});
