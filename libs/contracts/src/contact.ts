import { z } from 'zod';

/** E-mail as given, at most 254 characters (RFC 5321 §4.5.3.1); compared lower-case everywhere. */
export const Email = z.email().max(254);

/** The form in which two e-mail addresses are the same one. */
export const emailKey = (email: string) => email.trim().normalize('NFC').toLowerCase();

export const ConsentStatus = z.enum(['subscribed', 'pending', 'unsubscribed']);
export type ConsentStatus = z.infer<typeof ConsentStatus>;

export const ConsentMethod = z.enum(['api', 'form', 'import', 'double_opt_in', 'link']);

/** Whether the person may be reached on one channel, since when and how we know. */
export const Consent = z.object({
  status: ConsentStatus,
  at: z.iso.datetime(),
  method: ConsentMethod,
});
export type Consent = z.infer<typeof Consent>;

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
    consent: z.object({ email: Consent.nullable(), sms: Consent.nullable() }),
    status: ContactStatus.describe('derived from consent, bounces, complaints and suppressions'),
    source: z.string().nullable(),
    revision: z.number().int().describe('grows by one with every change'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Contact' });
export type Contact = z.infer<typeof Contact>;
