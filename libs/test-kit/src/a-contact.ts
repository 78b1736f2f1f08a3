import type { Contact } from '@mp/contracts/contact';
import { newId } from '@mp/ids';

/** A contact as its service publishes it, with the given fields only. */
export const aContact = (members: Partial<Contact> = {}): Contact => ({
  id: newId('contact'),
  external_id: null,
  email: null,
  phone: null,
  first_name: null,
  last_name: null,
  company: null,
  job_title: null,
  locale: null,
  timezone: null,
  address: null,
  tags: [],
  attributes: {},
  consent: { email: null, sms: null },
  status: 'active',
  source: 'api',
  revision: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  last_seen_at: null,
  ...members,
});
