import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Address, contactTexts } from './contact.ts';
import { contactColumns, fieldOfColumn } from './import-columns.ts';

const noAttribute = () => false;

test('every text field and every part of the address of a contact has a column', () => {
  const expected = [...contactTexts, ...Object.keys(Address.shape).map((name) => `address.${name}`)];
  assert.deepEqual(
    expected.filter((name) => !contactColumns.some((column) => column === name)),
    [],
  );
});

test('a column fills the field it is named after, in the spellings of other programs too', () => {
  const names = ['email', ' E-Mail ', 'First name', 'Surname', 'ZIP code', 'consent.topics', 'Seats', 'attributes.seats'];
  assert.deepEqual(
    names.map((name) => fieldOfColumn(name, (one) => one.startsWith('attributes.'))),
    ['email', 'email', 'first_name', 'last_name', 'address.postal_code', 'consent.topics', null, 'attributes.seats'],
  );
  assert.equal(fieldOfColumn('attributes.seats', noAttribute), null);
});
