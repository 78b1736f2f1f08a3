import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf, membersOf } from './set-fields.ts';

test('the fields of an update are returned unchanged', () => {
  const set = {
    source: 'welcome',
    attributes: { plan: 'pro', 'a.b': 2 },
    address: { city: 'Berlin' },
    tags: ['x'],
    consent: { email: {} },
  };
  assert.deepEqual(Object.keys(fieldsOf(set)), ['source', 'attributes.plan', 'attributes.a.b', 'address.city', 'tags', 'consent']);
  assert.deepEqual(membersOf(fieldsOf(set)), set);
});

test('a name that is still being typed does not become a key of a group', () => {
  assert.deepEqual(membersOf({ 'attributes.': 1 }), { 'attributes.': 1 });
});
