import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '../contacts/contacts.ts';
import { type CellField, cellChange, cellProblem, cellText, fitsInput, withCellText } from './cell-field.ts';

const contact: Contact = {
  id: 'contact_1',
  external_id: null,
  email: 'ada@example.com',
  phone: null,
  first_name: 'Ada',
  last_name: null,
  company: null,
  job_title: null,
  locale: null,
  timezone: null,
  address: null,
  tags: [],
  attributes: { seats: 4, plan: 'starter' },
  consent: { email: null, sms: null, topics: {} },
  status: 'active',
  source: 'api',
  revision: 3,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  last_seen_at: null,
};
const firstName: CellField = { label: 'first name', field: 'first_name' };
const lastName: CellField = { label: 'last name', field: 'last_name' };
const seats: CellField = { label: 'seats', attribute: 'seats', type: 'number' };
const tags: CellField = { label: 'tags', field: 'tags' };
const plan: CellField = { label: 'plan', attribute: 'plan', type: 'string' };

test('a field without a value is empty', () => {
  assert.equal(cellText(contact, firstName), 'Ada');
  assert.equal(cellText(contact, lastName), '');
  assert.equal(cellText(contact, seats), '4');
  assert.equal(cellText(contact, { label: 'toString', attribute: 'toString', type: 'string' }), '');
});

test('an edit changes only its field, and an empty text clears it', () => {
  assert.deepEqual(cellChange(firstName, ' Augusta '), { first_name: 'Augusta' });
  assert.deepEqual(cellChange(firstName, ' '), { first_name: null });
  assert.deepEqual(cellChange(seats, '12'), { attributes: { seats: 12 } });
  assert.deepEqual(cellChange(seats, ''), { attributes: { seats: null } });
  assert.deepEqual(cellChange(plan, '12'), { attributes: { plan: '12' } });
});

test('the list shows an edit as the API will save it', () => {
  assert.equal(withCellText(contact, firstName, ' Augusta ').first_name, 'Augusta');
  assert.deepEqual(withCellText(contact, seats, '12').attributes, { seats: 12, plan: 'starter' });
  assert.deepEqual(withCellText(contact, seats, '').attributes, { plan: 'starter' });
  assert.deepEqual(contact.attributes, { seats: 4, plan: 'starter' });
});

test('tags are one text with commas, unless a tag has one itself', () => {
  const tagged = { ...contact, tags: ['vip', 'beta'] };
  assert.equal(cellText(tagged, tags), 'vip, beta');
  assert.deepEqual(cellChange(tags, ' vip,, new tag , vip'), { tags: ['vip', 'new tag'] });
  assert.deepEqual(cellChange(tags, ' '), { tags: [] });
  assert.deepEqual(withCellText(tagged, tags, 'vip,beta').tags, tagged.tags);
  assert.deepEqual([fitsInput(tagged, tags), fitsInput({ ...contact, tags: ['Berlin, DE'] }, tags)], [true, false]);
});

test('an attribute with numbers accepts only numbers', () => {
  assert.equal(cellProblem(seats, 'four'), 'Enter a number, such as 4.5.');
  for (const text of ['4.5', '-1', '']) assert.equal(cellProblem(seats, text), undefined);
  assert.equal(cellProblem(plan, 'four'), undefined);
});
