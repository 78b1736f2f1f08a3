import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { z } from 'zod';

const atom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const hostname = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+(?=[a-z0-9-]{2,63}$)[a-z]([a-z0-9-]*[a-z0-9])?$/;

/** What is ASCII and no punycode is in the DNS as it is. */
const plainDomain = /^(?!.*xn--)[a-z0-9.-]+$/i;

/** The domain as it is in the DNS: lower-case, other scripts as punycode; empty when it is none. */
export const domainKey = (domain: string) => {
  const ascii = plainDomain.test(domain) ? domain.toLowerCase() : domainToASCII(domain.normalize('NFC'));
  return hostname.test(ascii) ? ascii : '';
};

/**
 * An e-mail address as given: at most 254 characters as it travels (RFC 5321 §4.5.3.1), its domain in any script, its
 * local part without quotes and in ASCII, since few mail servers take more.
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

/** The form in which two e-mail addresses are the same one: lower-case, the domain as it is in the DNS. */
export function emailKey(email: string): string {
  const folded = email.trim().normalize('NFC').toLowerCase();
  const at = folded.lastIndexOf('@') + 1;
  return at === 0 ? folded : folded.slice(0, at) + (domainKey(folded.slice(at)) || folded.slice(at));
}

export const ConsentStatus = z.enum(['subscribed', 'pending', 'unsubscribed']);
export type ConsentStatus = z.infer<typeof ConsentStatus>;

export const ConsentMethod = z.enum(['api', 'form', 'import', 'double_opt_in', 'link']);
export type ConsentMethod = z.infer<typeof ConsentMethod>;

/** Whether the person may be reached on one channel, since when and how we know. */
export const Consent = z
  .object({
    status: ConsentStatus,
    at: z.iso.datetime(),
    method: ConsentMethod,
  })
  .meta({ id: 'Consent' });
export type Consent = z.infer<typeof Consent>;

export const Channel = z.enum(['email', 'sms']);
export type Channel = z.infer<typeof Channel>;

/** What a contact agreed to beside the channel as a whole, such as `newsletter`. */
export const ConsentTopic = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'expected up to 64 lower-case letters, digits, _ or -');

/**
 * Where the topic is told apart: a message of a topic needs both its topic and its channel not to be unsubscribed, and a
 * topic nothing is known of follows the channel.
 */
export const TopicConsents = z.record(ConsentTopic, z.object({ email: Consent.nullable(), sms: Consent.nullable() }));
export type TopicConsents = z.infer<typeof TopicConsents>;

/** Why an address is not written to, whatever its owner's consent says. */
export const SuppressionReason = z.enum(['hard_bounce', 'complaint', 'manual']);
export type SuppressionReason = z.infer<typeof SuppressionReason>;

export const SuppressionKind = z.enum(['email', 'domain']);
export type SuppressionKind = z.infer<typeof SuppressionKind>;

/** How an address or a domain is recognised after it was erased: meaningless outside its account. */
export const suppressionHash = (accountId: string, kind: SuppressionKind, value: string) =>
  createHash('sha256')
    .update(`${accountId}\n${kind}\n${kind === 'email' ? emailKey(value) : domainKey(value)}`)
    .digest('base64url');

export const Address = z.object({
  line1: z.string().max(200).nullable(),
  line2: z.string().max(200).nullable(),
  city: z.string().max(200).nullable(),
  region: z.string().max(200).nullable(),
  postal_code: z.string().max(20).nullable(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, 'expected an ISO 3166-1 alpha-2 code such as DE')
    .nullable(),
});
export type Address = z.infer<typeof Address>;

/** The value of one attribute; a date is an ISO 8601 string. */
export const AttributeValue = z.union([z.string().max(1_000), z.number(), z.boolean(), z.array(z.string().max(1_000)).max(100)]);
export type AttributeValue = z.infer<typeof AttributeValue>;

export const ContactStatus = z.enum(['active', 'unsubscribed', 'bounced', 'complained', 'suppressed']);
export type ContactStatus = z.infer<typeof ContactStatus>;

/** A person the account can reach, as the API shows it and as events tell it to the other services. */
export const Contact = z
  .object({
    id: z.string().describe('`contact_` and a time-ordered suffix; opaque'),
    external_id: z.string().max(255).nullable().describe("the caller's own id, unique in the account"),
    email: z.string().nullable(),
    phone: z.string().nullable().describe('E.164'),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    company: z.string().nullable(),
    job_title: z.string().nullable(),
    locale: z.string().nullable().describe('BCP 47'),
    timezone: z.string().nullable().describe('IANA'),
    address: Address.nullable(),
    tags: z.array(z.string()),
    attributes: z.record(z.string(), AttributeValue),
    consent: z
      .object({
        email: Consent.nullable(),
        sms: Consent.nullable(),
        topics: TopicConsents.optional().describe('absent: no topic is told apart'),
      })
      .meta({ id: 'Consents' }),
    status: ContactStatus.describe('derived from consent, bounces, complaints and suppressions'),
    source: z.string().nullable(),
    revision: z.number().int().describe('grows by one with every change'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().nullable().describe('when something they did was last tracked, to the hour; null: never'),
  })
  .meta({ id: 'Contact' });
export type Contact = z.infer<typeof Contact>;
