import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Contact } from '../contacts/contacts.ts';
import { changeOf, draftOf, newContactOf, validateContact } from './contact-draft.ts';

const contact: Contact = {
  id: 'contact_1',
  external_id: null,
  email: 'ada@example.com',
  phone: null,
  first_name: 'Ada',
  last_name: null,
  company: 'Example',
  job_title: null,
  locale: null,
  timezone: null,
  address: { line1: null, line2: null, city: 'Berlin', region: null, postal_code: '10115', country: 'DE' },
  tags: ['vip'],
  attributes: { seats: 3, plan: 'pro', likes: ['tea', 'chess'], trial: false },
  consent: { email: null, sms: null },
  status: 'active',
  source: 'api',
  revision: 4,
  created_at: '2026-03-01T12:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
  last_seen_at: null,
};

test('sends no changes for an untouched form', () => {
  assert.deepEqual(changeOf(contact, draftOf(contact)), {});
});

test('sends only edited fields, and clears emptied ones', () => {
  const draft = draftOf(contact);
  draft.first_name = 'Augusta';
  draft.company = ' ';
  draft.address.city = 'London';
  draft.tags = [];
  draft.attributes = draft.attributes
    .filter(({ key }) => key !== 'plan')
    .map((one) => (one.key === 'seats' ? { ...one, text: '5' } : one))
    .concat({ id: 9, key: 'born', type: 'text', text: '1815-12-10' });
  assert.deepEqual(changeOf(contact, draft), {
    first_name: 'Augusta',
    company: null,
    address: { line1: null, line2: null, city: 'London', region: null, postal_code: '10115', country: 'DE' },
    tags: [],
    attributes: { seats: 5, born: '1815-12-10', plan: null },
  });
});

test('creates a contact from the filled fields, with typed attributes', () => {
  const draft = draftOf(undefined);
  draft.email = 'grace@example.com';
  draft.attributes = [
    { id: 0, key: 'likes', type: 'list', text: 'tea, ' },
    { id: 1, key: 'trial', type: 'boolean', text: 'yes' },
    { id: 2, key: '', type: 'text', text: 'nameless' },
  ];
  draft.consent = 'pending';
  assert.deepEqual(newContactOf(draft), {
    email: 'grace@example.com',
    attributes: { likes: ['tea'], trial: true },
    consent: { email: { status: 'pending' } },
  });
});

test('accepts only values that have the type of the attribute', () => {
  const seats = { id: 0, key: 'seats', type: 'number' as const };
  assert.equal(validateContact.attributes([{ ...seats, text: 'four' }]), 'Enter a number for seats, such as 4.5.');
  assert.equal(validateContact.attributes([{ ...seats, text: '4' }]), null);
  assert.equal(validateContact.attributes([{ ...seats, text: '' }]), null, 'an empty value removes the attribute');
  const born = { id: 1, key: 'born', type: 'date' as const };
  for (const text of ['1815', 'December', '1815-13-10'])
    assert.equal(validateContact.attributes([{ ...born, text }]), 'Enter a date for born, such as 2026-05-01.');
  for (const text of ['1815-12-10', '1815-12-10T08:00:00Z', '']) assert.equal(validateContact.attributes([{ ...born, text }]), null);
});
