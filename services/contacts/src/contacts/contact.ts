import type { Address, Consent, Contact } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import type { z } from 'zod';
import {
  type ConsentChange,
  type ContactChange,
  identities,
  needsIdentity,
  readOnlyMembers,
  type UpdateContactBody,
} from './contact-body.ts';

/** A contact created by API without a word on consent counts as subscribed by API: the caller vouches for it. */
const consentByApi = (now: Date): Consent => ({ status: 'subscribed', at: now.toISOString(), method: 'api' });

export function newContact(body: ContactChange, now = new Date()): Contact {
  const blank: Contact = {
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
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    last_seen_at: null,
  };
  const contact = { ...blank, ...membersAfter(blank, body, now) };
  if (contact.email && body.consent?.email === undefined) contact.consent = { ...contact.consent, email: consentByApi(now) };
  return { ...contact, status: statusOf(contact) };
}

/**
 * The contact after the change, and the paths that differ; none means that nothing is to be written.
 * Throws VALIDATION_ERROR when the last identity would go or a read-only member was changed.
 */
export function changeContact(
  before: Contact,
  body: z.output<typeof UpdateContactBody>,
  now = new Date(),
): { contact: Contact; changed: string[] } {
  for (const name of readOnlyMembers) {
    if (body[name] !== undefined && body[name] !== before[name]) {
      throw invalid(`/${name}`, 'read_only', `${name} cannot be set; leave it out or send it unchanged (${JSON.stringify(before[name])}).`);
    }
  }
  const after = { ...before, ...membersAfter(before, body, now) };
  if (identities.every((name) => after[name] === null)) throw invalid('/email', 'identity_required', needsIdentity);
  if (after.email && !before.email && after.consent.email === null) after.consent = { ...after.consent, email: consentByApi(now) };
  const contact = { ...after, status: statusOf(after) };
  const changed = changedPaths(before, contact);
  if (changed.length === 0) return { contact: before, changed };
  return { contact: { ...contact, revision: before.revision + 1, updated_at: now.toISOString() }, changed };
}

function membersAfter(before: Contact, change: ContactChange, now: Date): Partial<Contact> {
  const { email, phone, external_id, first_name, last_name, company, job_title, locale, timezone, source } = change;
  const named = Object.entries({ email, phone, external_id, first_name, last_name, company, job_title, locale, timezone, source }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    ...Object.fromEntries(named),
    address: addressAfter(before.address, change.address),
    tags: change.tags === undefined ? before.tags : [...new Set(change.tags)],
    attributes: attributesAfter(before.attributes, change.attributes),
    consent: {
      email: consentAfter(before.consent.email, change.consent?.email, now),
      sms: consentAfter(before.consent.sms, change.consent?.sms, now),
    },
  };
}

const noAddress: Address = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null };

function addressAfter(before: Address | null, change: ContactChange['address']): Address | null {
  if (change === undefined) return before;
  if (change === null) return null;
  const named = Object.entries(change).filter(([, value]) => value !== undefined);
  const after = { ...noAddress, ...before, ...Object.fromEntries(named) };
  return Object.values(after).every((value) => value === null) ? null : after;
}

function attributesAfter(before: Contact['attributes'], change: ContactChange['attributes']): Contact['attributes'] {
  if (change === undefined) return before;
  if (change === null) return {};
  const after = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(change)) {
    if (value === null) after.delete(key);
    else after.set(key, value);
  }
  if (after.size > 200) throw invalid('/attributes', 'too_big', 'A contact has at most 200 attributes.');
  return Object.fromEntries(after);
}

function consentAfter(before: Consent | null, change: ConsentChange | null | undefined, now: Date): Consent | null {
  if (change === undefined) return before;
  if (change === null) return null;
  const unchanged =
    before &&
    change.status === before.status &&
    (change.method ?? before.method) === before.method &&
    (change.at ?? before.at) === before.at;
  return unchanged ? before : { status: change.status, method: change.method ?? 'api', at: change.at ?? now.toISOString() };
}

/** Consent speaks for the channel a contact can be reached on; bounces, complaints and suppressions come with issue C. */
function statusOf(contact: Contact): Contact['status'] {
  return contact.consent.email?.status === 'unsubscribed' ? 'unsubscribed' : 'active';
}

/** Leaf paths that differ, such as `address.city`, `attributes.plan`, `consent.email`, `tags`. */
function changedPaths(before: Contact, after: Contact): string[] {
  const nested = new Set(['address', 'attributes', 'consent']);
  return Object.keys(after).flatMap((name) => {
    const [was, is]: unknown[] = [before[name as keyof Contact], after[name as keyof Contact]];
    if (!nested.has(name)) return same(was, is) ? [] : [name];
    const [wasMembers, isMembers] = [members(was), members(is)];
    const keys = new Set([...wasMembers.keys(), ...isMembers.keys()]);
    return [...keys].filter((key) => !same(wasMembers.get(key), isMembers.get(key))).map((key) => `${name}.${key}`);
  });
}

const members = (value: unknown) => new Map<string, unknown>(Object.entries(value ?? {}));
const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
