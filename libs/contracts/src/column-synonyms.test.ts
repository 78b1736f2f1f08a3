import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldOfColumn } from './column-synonyms.ts';

test('maps a column to the field with its name, including common names of other programs', () => {
  const names = ['email', ' E-Mail ', 'First name', 'Surname', 'ZIP code', 'consent.topics', 'Seats', 'attributes.seats'];
  assert.deepEqual(
    names.map((name) => fieldOfColumn(name, (one) => one.startsWith('attributes.'))),
    ['email', 'email', 'first_name', 'last_name', 'address.postal_code', 'consent.topics', null, 'attributes.seats'],
  );
  assert.equal(
    fieldOfColumn('attributes.seats', () => false),
    null,
  );
});
