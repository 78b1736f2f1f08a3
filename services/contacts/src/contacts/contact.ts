import type { Address, Consent, ConsentMethod, Contact } from '@mp/contracts/contact';
import { contactTexts } from '@mp/contracts/contact-texts';
import { invalid } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { z } from 'zod';
import { checkAttribute, tooManyKeys } from '../attributes/attribute-type.ts';
import { consentsAfter } from '../consent/consent.ts';
import { keepUnsubscriptions } from '../consent/keep-unsubscriptions.ts';
import type { AccountContext } from './account-context.ts';
import {
  type ContactChange,
  fitAttributes,
  identities,
  maxAttributes,
  needsIdentity,
  readOnlyFields,
  type UpdateContactBody,
} from './contact-body.ts';
import { statusOf } from './contact-status.ts';

/** How a contact change arrives: through the API or in an imported file. */
export type Entrance = Extract<ConsentMethod, 'api' | 'import'>;

/** A contact created without explicit consent gets the account's default; the caller vouches for it. */
const consentByDefault = ({ defaultConsent }: AccountContext, method: Entrance, now: Date): Consent => ({
  status: defaultConsent,
  at: now.toISOString(),
  method,
});

/** Throws VALIDATION_ERROR if an attribute does not have the type of its key, PLAN_LIMIT_EXCEEDED if there are too many keys. */
export function newContact(body: ContactChange, context: AccountContext, { now = new Date(), entrance = 'api' as Entrance } = {}): Contact {
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
    source: entrance,
    revision: 1,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    last_seen_at: null,
  };
  const contact = { ...blank, ...membersAfter(blank, body, context, { now, entrance }) };
  if (contact.email && body.consent?.email === undefined)
    contact.consent = { ...contact.consent, email: consentByDefault(context, entrance, now) };
  return { ...contact, status: statusOf(contact, context) };
}

export type Change = { contact: Contact; changed: string[] };

/**
 * The contact after the change, and the paths that differ; if there are none, nothing needs to be written.
 * Throws VALIDATION_ERROR if the contact would lose its last identifier, a read-only field was changed, or an attribute does
 * not have the type of its key; PLAN_LIMIT_EXCEEDED if the account would have too many keys.
 */
export function changeContact(
  before: Contact,
  body: z.output<typeof UpdateContactBody>,
  context: AccountContext,
  { now = new Date(), entrance = 'api' as Entrance } = {},
): Change {
  const isOfOlder = body.revision !== undefined && body.revision !== before.revision;
  rejectReadOnlyChanges(body, before, isOfOlder ? ['id'] : readOnlyFields);
  // A file may also have been written before an unsubscription.
  const isOfBefore = isOfOlder || entrance === 'import';
  const said = isOfBefore ? { ...body, consent: keepUnsubscriptions(before.consent, body.consent) } : body;
  const after = { ...before, ...membersAfter(before, said, context, { now, entrance }) };
  if (identities.every((name) => after[name] === null)) throw invalid('/email', 'identity_required', needsIdentity);
  if (after.email && !before.email && after.consent.email === null)
    after.consent = { ...after.consent, email: consentByDefault(context, entrance, now) };
  return revise(before, after, context, now);
}

/** The next revision of a contact with these fields and its status derived again; the same contact if nothing differs. */
export function revise(before: Contact, after: Contact, context: Pick<AccountContext, 'suppressionOf'>, now = new Date()): Change {
  const contact = { ...after, status: statusOf(after, context) };
  const changed = changedPaths(before, contact);
  if (changed.length === 0) return { contact: before, changed };
  return { contact: { ...contact, revision: before.revision + 1, updated_at: now.toISOString() }, changed };
}

function membersAfter(
  before: Contact,
  change: ContactChange,
  context: AccountContext,
  { now, entrance }: { now: Date; entrance: Entrance },
): Partial<Contact> {
  return {
    ...Object.fromEntries(contactTexts.filter((name) => change[name] !== undefined).map((name) => [name, change[name]])),
    // The source can be changed but not cleared.
    source: change.source ?? before.source,
    address: addressAfter(before.address, change.address),
    tags: change.tags === undefined ? before.tags : [...new Set(change.tags)],
    attributes: attributesAfter(before.attributes, change.attributes, context),
    consent: consentsAfter(before.consent, change.consent, now, entrance),
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

function attributesAfter(
  before: Contact['attributes'],
  change: ContactChange['attributes'],
  { typeOf, isNewKey, hasRoomFor }: AccountContext,
): Contact['attributes'] {
  if (change === undefined) return before;
  if (change === null) return {};
  const after = new Map(Object.entries(before));
  let unknown = 0;
  for (const [key, value] of Object.entries(change)) {
    if (value === null) {
      after.delete(key);
      continue;
    }
    if (isNewKey(key)) unknown += 1;
    checkAttribute(key, value, typeOf(key));
    after.set(key, value);
  }
  if (after.size > maxAttributes) throw invalid('/attributes', 'too_big', `A contact can have at most ${maxAttributes} attributes.`);
  if (unknown > 0 && !hasRoomFor(unknown)) throw tooManyKeys();
  const attributes = Object.fromEntries(after);
  if (!fitAttributes(attributes)) throw invalid('/attributes', 'too_big', 'A contact can have at most 64 KiB of attributes.');
  return attributes;
}

/** Leaf paths that differ, such as `address.city`, `attributes.plan`, `consent.email`, `tags`. */
export function changedPaths(before: Contact, after: Contact): string[] {
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
export const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
