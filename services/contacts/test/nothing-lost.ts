import assert from 'node:assert/strict';
import type { Consent, Contact } from '@mp/contracts/contact';
import type { Outcome } from './history.ts';

const texts = ['email', 'phone', 'external_id', 'first_name', 'last_name', 'company', 'job_title', 'locale', 'timezone'] as const;
const channels = ['email', 'sms'] as const;

type Consents = { email: Consent | null; sms: Consent | null };

const topicsOf = ({ consent }: Contact) => new Map<string, Consents>(Object.entries(consent.topics ?? {}));
const none: Consents = { email: null, sms: null };

/** A merge loses nothing: the survivor has its own values, else the other's, and an unsubscription of either applies. */
export function assertMerged(contact: Contact, was: Contact, other: Contact) {
  for (const name of [...texts, 'address'] as const) assert.deepEqual(contact[name], was[name] ?? other[name], name);
  for (const tag of [...was.tags, ...other.tags]) assert.ok(contact.tags.includes(tag), tag);
  assert.deepEqual(contact.attributes, { ...other.attributes, ...was.attributes });
  const consents: [Consents, Consents, Consents][] = [[contact.consent, was.consent, other.consent]];
  const [merged, own, others] = [topicsOf(contact), topicsOf(was), topicsOf(other)];
  for (const topic of new Set([...own.keys(), ...others.keys()]))
    consents.push([merged.get(topic) ?? none, own.get(topic) ?? none, others.get(topic) ?? none]);
  for (const [is, mine, theirs] of consents)
    for (const channel of channels) {
      const isOut = [mine, theirs].some((consent) => consent[channel]?.status === 'unsubscribed');
      if (isOut) assert.equal(is[channel]?.status, 'unsubscribed');
      else assert.deepEqual(is[channel], mine[channel] ?? theirs[channel]);
    }
}

/** The status that a sent one leads to: `pending` never replaces an unsubscription. */
const statusAfter = (was: Consent | null | undefined, said: string | undefined) =>
  was?.status === 'unsubscribed' && said === 'pending' ? was.status : (said ?? was?.status);

/** Sent fields have the sent values, and omitted ones are unchanged. */
export function assertChanged(contact: Contact, was: Contact, { members }: NonNullable<Outcome['said']>) {
  for (const name of texts) assert.equal(contact[name], (members as Record<string, unknown>)[name] ?? was[name], name);
  const nowhere = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null };
  assert.deepEqual(contact.address, members.address ? { ...nowhere, ...was.address, ...members.address } : was.address);
  assert.deepEqual(contact.tags, members.tags ?? was.tags);
  assert.deepEqual(contact.attributes, { ...was.attributes, ...members.attributes });
  for (const channel of channels) {
    const said = members.consent?.[channel];
    const isFirstAddress = channel === 'email' && !was.email && was.consent.email === null;
    if (said) assert.equal(contact.consent[channel]?.status, statusAfter(was.consent[channel], said.status));
    else if (!isFirstAddress) assert.deepEqual(contact.consent[channel], was.consent[channel]);
  }
  const [is, before] = [topicsOf(contact), topicsOf(was)];
  const said = new Map(Object.entries(members.consent?.topics ?? {}));
  for (const topic of new Set([...before.keys(), ...said.keys()])) {
    assert.equal(is.get(topic)?.email?.status, statusAfter(before.get(topic)?.email, said.get(topic)?.email.status), topic);
  }
}
