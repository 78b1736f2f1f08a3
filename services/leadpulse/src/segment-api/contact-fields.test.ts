import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventProperties } from '../events/properties.ts';
import { defaultTraits } from '../settings/segment-traits.ts';
import { contactFieldsOf } from './contact-fields.ts';
import { flatten, membersOf } from './loose-values.ts';
import { revenueOf } from './order-revenue.ts';

test('traits become fields by the table; other traits are named, and null clears a field', () => {
  const traits = { email: 'a@b.c', name: 'Ada King Lovelace', lastName: 'Byron', phone: null, company: { name: 'Acme', size: 3 }, age: 36 };
  const table = [...defaultTraits, { trait: 'x.y', field: 'attributes.xy' }];
  assert.deepEqual(contactFieldsOf({ ...traits, x: { y: ['a', 'b'] } }, table), {
    fields: { email: 'a@b.c', phone: null, last_name: 'Byron', company: 'Acme', attributes: { xy: ['a', 'b'] }, first_name: 'Ada' },
    unmapped: ['company.size', 'age'],
  });
  assert.deepEqual(contactFieldsOf({ 'x.y': 1, address: 'no object', email: { $ne: 1 } }, table).fields, { attributes: { xy: 1 } });
});

test('revenue is that of the event, in its currency; of an order without one, the total', () => {
  assert.deepEqual(revenueOf('Order Completed', { total: 12, revenue: '$10.5', currency: 'eur' }), { amount: 10.5, currency: 'EUR' });
  assert.deepEqual(revenueOf('Order Completed', { total: 12 }), { amount: 12, currency: 'USD' });
  for (const [event, properties] of [
    ['Product Viewed', { total: 12, price: 3, value: 3 }],
    ['Checkout Started', { revenue: 12 }],
    ['Order Refunded', { total: 12 }],
    ['Order Completed', { revenue: 'free' }],
    ['Order Completed', { revenue: 1e12 }],
    ['Order Completed', { revenue: 1, currency: 'Euro' }],
  ] as const)
    assert.equal(revenueOf(event, properties), undefined, event);
});

test('whatever the properties are, an event can hold what is kept of them', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 8 })), (given) => {
      const { values, leftOut } = flatten(membersOf(given));
      assert.ok(EventProperties.safeParse(values).success);
      assert.ok(leftOut >= 0);
    }),
  );
});
