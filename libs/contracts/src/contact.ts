import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { AccountId } from '@mp/ids';
import { z } from 'zod';
import { contactId } from './ids.ts';

const atom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const hostname = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]{2,63}$)[a-z]([a-z0-9-]*[a-z0-9])?$/;

/** ASCII without punycode is already in its DNS form. */
const plainDomain = /^(?!.*xn--)[a-z0-9.-]+$/i;

/** The domain in its DNS form: lower-case, other scripts as punycode. Empty when it is not a valid domain. */
export const domainKey = (domain: string) => {
  const ascii = plainDomain.test(domain) ? domain.toLowerCase() : domainToASCII(domain.normalize('NFC'));
  return hostname.test(ascii) ? ascii : '';
};

/**
 * An email address as given. At most 254 characters in its DNS form (RFC 5321 §4.5.3.1); the domain may be in any script, the
 * local part is unquoted ASCII, because few mail servers accept more.
 */
export const Email = z
  .string()
  .max(254)
  .refine((email) => {
    const at = email.lastIndexOf('@');
    const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
    return at > 0 && local.length <= 64 && atom.test(local) && !/[/?#:%]/.test(domain) && isTravelling(`${local}@${domainKey(domain)}`);
  }, 'Invalid email address')
  .meta({ format: 'email', examples: ['ada@example.com'] });

const isTravelling = (address: string) => !address.endsWith('@') && address.length <= 254;

/** The form in which email addresses are compared: lower-case, with the domain in its DNS form. */
export function emailKey(email: string): string {
  const folded = email.trim().normalize('NFC').toLowerCase();
  const at = folded.lastIndexOf('@') + 1;
  return at === 0 ? folded : folded.slice(0, at) + (domainKey(folded.slice(at)) || folded.slice(at));
}

export const ConsentStatus = z.enum(['subscribed', 'pending', 'unsubscribed']);
export type ConsentStatus = z.infer<typeof ConsentStatus>;

export const ConsentMethod = z.enum(['api', 'form', 'import', 'double_opt_in', 'link']);
export type ConsentMethod = z.infer<typeof ConsentMethod>;

/** Whether a contact may be reached on one channel, since when, and how that was recorded. */
export const Consent = z
  .object({
    status: ConsentStatus.describe('Whether the contact may be reached on this channel.'),
    at: z.iso.datetime().describe('When the contact gave or withdrew this consent.'),
    method: ConsentMethod.describe('How the consent was recorded.'),
  })
  .meta({ id: 'Consent' });
export type Consent = z.infer<typeof Consent>;

export const Channel = z.enum(['email', 'sms']);
export type Channel = z.infer<typeof Channel>;

/** A kind of message that a contact can consent to separately from the whole channel, such as `newsletter`. */
export const ConsentTopic = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'expected up to 64 lower-case letters, digits, _ or -');

/**
 * Consent by topic. A message about a topic is sent only if neither the topic nor the channel is unsubscribed; a topic without
 * a record follows its channel.
 */
export const TopicConsents = z.record(ConsentTopic, z.object({ email: Consent.nullable(), sms: Consent.nullable() }));
export type TopicConsents = z.infer<typeof TopicConsents>;

/** Why an address is never emailed, regardless of consent. */
export const SuppressionReason = z.enum(['hard_bounce', 'complaint', 'manual']);
export type SuppressionReason = z.infer<typeof SuppressionReason>;

export const SuppressionKind = z.enum(['email', 'domain']);
export type SuppressionKind = z.infer<typeof SuppressionKind>;

/** Identifies an address or domain after it was erased. The hash includes the account, so it cannot be compared across accounts. */
export const suppressionHash = (accountId: AccountId, kind: SuppressionKind, value: string) =>
  createHash('sha256')
    .update(`${accountId}\n${kind}\n${kind === 'email' ? emailKey(value) : domainKey(value)}`)
    .digest('base64url');

/** The hashes by which an erasure finds what was said of a person by email or external ID. */
export const identifierHashes = (accountId: AccountId, { email, external_id }: { email: string | null; external_id: string | null }) => ({
  ...(email !== null && { address_hash: suppressionHash(accountId, 'email', email) }),
  ...(external_id !== null && { external_hash: externalIdHash(accountId, external_id) }),
});

export const externalIdHash = (accountId: AccountId, externalId: string) =>
  createHash('sha256')
    .update(`${accountId}\nexternal_id\n${externalId.trim().normalize('NFC')}`)
    .digest('base64url');

export const Address = z.object({
  line1: z.string().max(200).nullable().describe('Street and house number.'),
  line2: z.string().max(200).nullable().describe('Apartment, suite or building.'),
  city: z.string().max(200).nullable().describe('City or town.'),
  region: z.string().max(200).nullable().describe('State, province or region.'),
  postal_code: z.string().max(20).nullable().describe('Postal or ZIP code.'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'expected an ISO 3166-1 alpha-2 code such as DE')
    .nullable()
    .describe('Country as an ISO 3166-1 alpha-2 code, such as `DE`.'),
});
export type Address = z.infer<typeof Address>;

/** The value of one attribute. Dates are ISO 8601 strings. */
export const AttributeValue = z.union([z.string().max(1_000), z.number(), z.boolean(), z.array(z.string().max(1_000)).max(100)], {
  error: ({ input, path }) => attributeFault(input, path?.at(-1)),
});
/** What is wrong with a value that is none of these. */
function attributeFault(value: unknown, key: PropertyKey = '<key>'): string {
  if (Array.isArray(value)) return 'A list in an attribute has at most 100 texts of at most 1,000 characters, such as ["en", "fr"].';
  const [name] = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const instead = name === undefined ? '' : ` Use a key for each part, such as ${String(key)}_${name}.`.slice(0, 200);
  return `Attributes are not nested: expected text, a number, true, false or a list of texts.${instead}`;
}

export type AttributeValue = z.infer<typeof AttributeValue>;

export const ContactStatus = z.enum(['active', 'unsubscribed', 'bounced', 'complained', 'suppressed']);
export type ContactStatus = z.infer<typeof ContactStatus>;

/** A contact as the API returns it and as events carry it to the other services. */
export const Contact = z
  .object({
    id: contactId.describe('ID of the contact: `contact_` and an opaque suffix. IDs sort by creation time.'),
    external_id: z.string().max(255).nullable().describe("The contact's ID in your own system, unique in the account."),
    email: z.string().nullable().describe('Email address, unique in the account.'),
    phone: z.string().nullable().describe('Phone number in E.164 format, such as `+4930123456`, unique in the account.'),
    first_name: z.string().nullable().describe('First name.'),
    last_name: z.string().nullable().describe('Last name.'),
    company: z.string().nullable().describe('Company name.'),
    job_title: z.string().nullable().describe('Job title.'),
    locale: z.string().nullable().describe('Language and region as a BCP 47 tag, such as `de-AT`.'),
    timezone: z.string().nullable().describe('IANA time zone, such as `Europe/Berlin`.'),
    address: Address.nullable().describe('Postal address.'),
    tags: z.array(z.string()).describe('Labels on the contact.'),
    attributes: z.record(z.string(), AttributeValue).describe('Values that the account defines for its contacts, by key.'),
    consent: z
      .object({
        email: Consent.nullable(),
        sms: Consent.nullable(),
        topics: TopicConsents.optional().describe('Consent by topic; absent when no topic has its own.'),
      })
      .meta({ id: 'Consents' }),
    status: ContactStatus.describe('Whether the contact can be emailed; derived from consent, bounces, complaints and suppressions.'),
    source: z.string().nullable().describe('Where the contact came from, such as `api` or `import`.'),
    revision: z.number().int().describe('Version of the contact; increases by one with every change.'),
    created_at: z.iso.datetime().describe('When the contact was created.'),
    updated_at: z.iso.datetime().describe('When the contact last changed.'),
    last_seen_at: z.iso.datetime().nullable().describe('When LeadPulse last tracked an event of the contact, to the hour; null if never.'),
  })
  .meta({ id: 'Contact' });
export type Contact = z.infer<typeof Contact>;
