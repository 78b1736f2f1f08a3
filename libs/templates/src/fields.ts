import { Address, Channel, Consent, Contact } from '@mp/contracts/contact';
import type { FieldRead } from './liquid.ts';

const nested = new Set(['address', 'attributes', 'consent']);
const contactFields = Object.keys(Contact.shape).filter((name) => !nested.has(name));
const addressFields = Object.keys(Address.shape);
const consentFields = Channel.options.flatMap((channel) => Object.keys(Consent.shape).map((name) => `${channel}.${name}`));

/** Every field that a template can read, for error messages. */
export const knownFields = [
  ...contactFields.map((name) => `contact.${name}`),
  ...addressFields.map((name) => `contact.address.${name}`),
  'contact.attributes.<key>',
  ...consentFields.map((name) => `contact.consent.${name}`),
  'contact.consent.topics.<topic>.email.status',
  'campaign.name',
  'coupon.<name>',
  'unsubscribe_url',
];

/** The fields of a contact that a template can read. */
export const contactScope = (contact: Contact) => ({
  ...contact,
  address: { ...contact.address },
  attributes: { ...contact.attributes },
});

/** Properties that Liquid provides for every list and text. */
const builtIn = new Set<unknown>(['size', 'first', 'last']);

/** Whether a template can read this field; `data` and `responses` only if the message has data. */
export function isKnownField([root, name, member, ...rest]: readonly unknown[], data = false): boolean {
  if (root === 'data' || root === 'responses') return data && name !== undefined;
  if (root === 'unsubscribe_url') return name === undefined;
  if (root === 'coupon') return typeof name === 'string' && member === undefined;
  if (root === 'campaign') return name === 'name' && member === undefined;
  if (root !== 'contact') return false;
  if (name === 'attributes') return member !== undefined && rest.every(isElement);
  if (name === 'address') return addressFields.some((field) => field === member) && rest.every(isElement);
  if (name === 'consent') return member === 'topics' ? isConsent(rest.slice(1)) : isConsent([member, ...rest]);
  return contactFields.some((field) => field === name) && [member, ...rest].every((one) => one === undefined || isElement(one));
}

/** Whether this is a field of the consent on a channel, or the consent itself, which a condition can test. */
const isConsent = ([channel, field, ...rest]: readonly unknown[]) =>
  field === undefined
    ? Channel.options.some((one) => one === channel)
    : consentFields.includes(`${channel}.${field}`) && rest.every(isElement);

/** What webhooks capture: the names of the values, by step. */
export type Captured = ReadonlyMap<string, ReadonlySet<string>>;

/** Whether a read of `responses` can find something. Names that are computed are not checked. */
export function isCapturedResponse([, step, name]: readonly unknown[], captured: Captured): boolean {
  if (typeof step !== 'string') return true;
  const names = captured.get(step);
  return names !== undefined && (typeof name !== 'string' || names.has(name));
}

/** How many values an error message lists. */
const maxListed = 20;

/** Why a template or a step cannot read a response. */
export function notCaptured(read: string, captured: Captured): string {
  const all = [...captured].flatMap(([step, names]) => [...names].map((name) => `responses.${step}.${name}`));
  const listed = all.slice(0, maxListed).join(', ') || 'nothing';
  const more = all.length > maxListed ? ` and ${all.length - maxListed} more` : '';
  return `No earlier step captures ${read}. Captured before: ${listed}${more}.`;
}

const isElement = (segment: unknown) => builtIn.has(segment) || typeof segment === 'number' || Array.isArray(segment);

export const fieldName = (segments: readonly unknown[]) =>
  segments.map((segment) => (Array.isArray(segment) ? '[…]' : String(segment))).join('.');

export const usedFields = (reads: readonly FieldRead[]): string[] => [...new Set(reads.map(({ segments }) => fieldName(segments)))];

/** The contact fields among `reads` that are empty in this scope. */
export function missingFields(reads: readonly FieldRead[], scope: object): string[] {
  const paths = reads.map(({ segments }) => segments).filter(([root]) => root === 'contact');
  return [...new Set(paths.filter((segments) => isEmpty(valueAt(scope, segments))).map(fieldName))];
}

function valueAt(scope: unknown, segments: readonly unknown[]): unknown {
  let value = scope;
  for (const segment of segments) {
    if (isElement(segment)) return value;
    value = typeof value === 'object' && value !== null ? new Map<unknown, unknown>(Object.entries(value)).get(segment) : undefined;
  }
  return value;
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
