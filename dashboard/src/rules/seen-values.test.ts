import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '../contacts/contacts.ts';
import { distinct, valuesIn } from './seen-values.ts';

test('suggests the values that contacts have, the most frequent first', () => {
  const contacts = [
    { tags: ['vip'], address: { city: 'Berlin' }, attributes: { plan: 'pro', seats: 4 } },
    { tags: ['new', 'vip'], address: { city: 'Wien' }, attributes: { plan: 'pro' } },
    { tags: [], address: null, attributes: { plan: '' } },
  ] as unknown as Contact[];
  assert.deepEqual(valuesIn(contacts, 'tags'), ['vip', 'new']);
  assert.deepEqual(valuesIn(contacts, 'address.city'), ['Berlin', 'Wien']);
  assert.deepEqual(valuesIn(contacts, 'attributes.plan'), ['pro']);
  assert.deepEqual(valuesIn(contacts, 'attributes.seats'), ['4']);
  assert.deepEqual(valuesIn(contacts, 'attributes.toString'), [], 'nothing that is inherited');
});

test('counts a contact that is among the latest and the oldest once', () => {
  const [ada, berta] = [
    { id: 'a', address: { city: 'Berlin' } },
    { id: 'b', address: { city: 'Wien' } },
  ] as unknown as Contact[];
  assert.ok(ada && berta);
  assert.deepEqual(distinct([[ada, berta], [ada]]), [ada, berta]);
});
