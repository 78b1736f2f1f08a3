import { Address, Consent, ConsentStatus, Contact } from '@mp/contracts/contact';
import { contactTexts } from '@mp/contracts/contact-texts';
import { z } from 'zod';
import type { ContactChange } from '../runs/run.ts';

const text = z
  .string()
  .trim()
  .normalize('NFC')
  .transform((value) => value || null)
  .nullable();

const consent = z
  .object({ status: ConsentStatus, at: z.iso.datetime({ offset: true }).optional(), method: Consent.shape.method.optional() })
  .nullable();

/** The updated fields that rules and templates can read. */
const Members = z
  .object({
    ...Object.fromEntries(contactTexts.map((name) => [name, text])),
    source: text,
    address: Address.partial().nullable(),
    tags: z.array(z.string().trim().normalize('NFC')).nullable(),
    attributes: z.record(z.string(), Contact.shape.attributes.valueType.nullable()).nullable(),
    consent: z.object({ email: consent, sms: consent }).partial(),
  })
  .partial();

const noAddress: Address = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null };

type Changed = { contact: Contact; refusal?: undefined } | { contact?: undefined; refusal: string };

/**
 * The contact after a change that a step requests. Checks that only the contacts service can do, such as whether another
 * contact has the same address, are not simulated.
 */
export function changedContact(contact: Contact, change: ContactChange, at: Date): Changed {
  if (change.type === 'add_tag') return { contact: { ...contact, tags: [...new Set([...contact.tags, change.tag])] } };
  if (change.type === 'remove_tag') return { contact: { ...contact, tags: contact.tags.filter((tag) => tag !== change.tag) } };
  const { attributes: numbers, refusal } = incremented(contact, change.increment ?? {});
  if (refusal !== undefined) return { refusal };
  const { data: members, error } = Members.safeParse({ ...change.members, ...numbers });
  if (!members) return { refusal: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
  const { address, tags, attributes, consent: said = {}, source, ...texts } = members;
  const channel = (before: Consent | null, after: z.output<typeof consent> | undefined): Consent | null => {
    if (after === undefined) return before;
    return after && { status: after.status, at: after.at ?? at.toISOString(), method: after.method ?? 'api' };
  };
  const email = channel(contact.consent.email, said.email);
  const after = Contact.safeParse({
    ...contact,
    ...texts,
    source: source ?? contact.source,
    address: address === undefined ? contact.address : address && { ...noAddress, ...contact.address, ...address },
    tags: tags === undefined ? contact.tags : [...new Set(tags ?? [])],
    attributes: attributes === undefined ? contact.attributes : withoutNulls(attributes && { ...contact.attributes, ...attributes }),
    consent: { ...contact.consent, email, sms: channel(contact.consent.sms, said.sms) },
    status: ['active', 'unsubscribed'].includes(contact.status)
      ? email?.status === 'unsubscribed'
        ? 'unsubscribed'
        : 'active'
      : contact.status,
    updated_at: at.toISOString(),
  });
  if (after.success) return { contact: after.data };
  return { refusal: after.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
}

/** The attributes after the increments, or why they cannot be incremented. */
function incremented({ attributes }: Contact, increment: Record<string, number>) {
  const entries = Object.entries(increment).map(([name, by]) => ({ key: name.slice('attributes.'.length), by }));
  const wrong = entries.find(({ key }) => typeof (attributes[key] ?? 0) !== 'number');
  if (wrong) return { refusal: `attributes.${wrong.key}: expected a number to increment` };
  const after = entries.map(({ key, by }) => [key, Number(attributes[key] ?? 0) + by]);
  return entries.length === 0 ? {} : { attributes: { attributes: Object.fromEntries(after) } };
}

const withoutNulls = (members: Record<string, unknown> | null) =>
  Object.fromEntries(Object.entries(members ?? {}).filter(([, value]) => value !== null));
