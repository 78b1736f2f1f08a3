import { atLeastOneOf } from '@mp/contracts/constraints';
import { Address, AttributeValue, Contact, ContactStatus, Email } from '@mp/contracts/contact';
import { countries } from '@mp/contracts/countries';
import { Timezone } from '@mp/contracts/moment';
import { isOneLine, oneLine } from '@mp/contracts/text';
import { z } from 'zod';
import { ConsentsBody } from '../consent/consent.ts';
import { phone } from './phone.ts';

/** Malformed text would be stored differently from how it was sent, and no lookup would find it. */
const isWellFormed = (value: string) => value.isWellFormed();
const wellFormed = 'expected well-formed Unicode, but the text has an unpaired surrogate';

const written = (max: number) => z.string().trim().normalize('NFC').max(max).refine(isWellFormed, wellFormed);
const orNone = (value: string) => value || null;

/** Text in Unicode NFC without surrounding spaces; empty text becomes null. */
const text = (max: number) => written(max).transform(orNone).nullable();

/** Text without line breaks. */
const line = (max: number) => written(max).refine(isOneLine, oneLine).transform(orNone).nullable();

const accepted = (test: (value: string) => unknown) => (value: string) => {
  try {
    return Boolean(test(value));
  } catch {
    return false;
  }
};

const locale = z.string().max(35).refine(accepted(Intl.getCanonicalLocales), 'expected a BCP 47 language tag such as de-DE');

/** Empty text counts as no value. */
const attributeValue = AttributeValue.refine(
  (value) => (Array.isArray(value) ? value.every(isWellFormed) : typeof value !== 'string' || isWellFormed(value)),
  wellFormed,
).transform((value) => {
  if (Array.isArray(value)) return value.map((item) => item.normalize('NFC'));
  return typeof value === 'string' ? value.normalize('NFC') || null : value;
});

const country = Address.shape.country.refine(
  (code) => code === null || countries.has(code),
  'expected an ISO 3166-1 alpha-2 code such as DE',
);

const email = z.string().trim().normalize('NFC').pipe(Email);
export const tag = written(64).min(1).refine(isOneLine, oneLine);

export const attributeKey = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'expected up to 64 letters, digits, _ or -');

export const maxTags = 100;
export const maxAttributes = 200;
const maxAttributeBytes = 64 * 1024;

export const fitAttributes = (attributes: object) => Buffer.byteLength(JSON.stringify(attributes)) <= maxAttributeBytes;

const attributes = z
  .record(attributeKey, attributeValue.nullable())
  .refine((value) => Object.keys(value).length <= maxAttributes, `expected at most ${maxAttributes} attributes`)
  .refine(fitAttributes, 'expected at most 64 KiB of attributes')
  .meta({ maxProperties: maxAttributes });

/** The fields a caller can set. An omitted field keeps its value; null clears it. */
const writable = {
  email: email.nullable(),
  phone: phone.nullable(),
  external_id: line(255),
  first_name: line(200),
  last_name: line(200),
  company: line(200),
  job_title: line(200),
  locale: locale.nullable(),
  timezone: Timezone.nullable(),
  address: z
    .strictObject({ line1: text(200), line2: text(200), city: text(200), region: text(200), postal_code: text(20), country })
    .partial()
    .nullable(),
  tags: z.array(tag).max(maxTags).nullable(),
  attributes: attributes.nullable().describe('Merged key by key. `null` as a value removes its key.'),
  consent: ConsentsBody.describe(
    "If omitted, a new contact with an email gets the `default_consent` of the account's contact settings, which is `subscribed` unless " +
      'changed. Set it explicitly for people who have not agreed to receive email.',
  ),
  source: line(100).describe('Where the contact came from. Defaults to `api` or `import`. Can be changed but not cleared.'),
};

/** The fields that many contacts can get the same value for: all except the identifiers. */
export const sharedValues = z
  .strictObject(writable)
  .omit({ email: true, phone: true, external_id: true })
  .partial()
  .refine((values) => Object.keys(values).length > 0, 'expected at least one field');

/** The identifiers, from strongest to weakest. */
export const identities = ['email', 'external_id', 'phone'] as const;
export type Identity = (typeof identities)[number];

/** The error message for a contact without any identifier. */
export const needsIdentity = 'A contact needs at least one of email, phone and external_id.';

export const CreateContactBody = z
  .strictObject(writable)
  .partial()
  .refine((body) => identities.some((name) => body[name] != null), { path: ['email'], message: needsIdentity })
  .meta(atLeastOneOf(identities));

/**
 * A contact from GET can be edited and sent back, so these fields are accepted if unchanged. A different value is an error,
 * unless the contact has a newer revision, which may have changed its status, or through a merge its creation time.
 */
const readOnly = {
  id: Contact.shape.id,
  status: ContactStatus,
  created_at: Contact.shape.created_at,
};

/** Accepted and ignored, because they change with every activity of the contact. `If-Match` protects newer changes. */
const ignoredFields = {
  revision: Contact.shape.revision.describe(
    'Ignored. With an older revision, `status` and `created_at` may have their values of that revision.',
  ),
  updated_at: Contact.shape.updated_at.describe('Ignored.'),
  last_seen_at: Contact.shape.last_seen_at.describe('Ignored.'),
};

export const UpdateContactBody = z.strictObject({ ...writable, ...readOnly, ...ignoredFields }).partial();

export type ContactChange = z.output<typeof CreateContactBody>;
export const readOnlyFields = ['id', 'status', 'created_at'] as const satisfies (keyof typeof readOnly)[];
