import { Address, type Contact, contactTexts } from '@mp/contracts/contact';
import { invalid } from '@mp/contracts/errors';
import { type CompiledTemplate, compileTemplate, TemplateError, type TemplateKind } from './liquid.ts';

const contactFields = ['id', ...contactTexts, 'tags', 'created_at'] as const;

const addressFields = Object.keys(Address.shape);

/** Everything a template can read, as told to whoever asked for something else. */
export const knownFields = [
  ...contactFields.map((name) => `contact.${name}`),
  ...addressFields.map((name) => `contact.address.${name}`),
  'contact.attributes.<key>',
  'campaign.name',
  'unsubscribe_url',
];

/** What a template sees of a contact. */
export const contactScope = (contact: Contact) => ({
  ...Object.fromEntries(contactFields.map((name) => [name, contact[name]])),
  address: { ...contact.address },
  attributes: { ...contact.attributes },
});

/** A list or a text has these, whatever is in it. */
const builtIn = new Set<unknown>(['size', 'first', 'last']);

function isKnown([root, name, member, ...rest]: readonly unknown[]): boolean {
  if (root === 'unsubscribe_url') return name === undefined;
  if (root === 'campaign') return name === 'name' && member === undefined;
  if (root !== 'contact') return false;
  if (name === 'attributes') return member !== undefined && rest.every(isElement);
  if (name === 'address') return addressFields.some((field) => field === member) && rest.every(isElement);
  return contactFields.some((field) => field === name) && [member, ...rest].every((one) => one === undefined || isElement(one));
}

const isElement = (segment: unknown) => builtIn.has(segment) || typeof segment === 'number' || Array.isArray(segment);

export const fieldName = (segments: readonly unknown[]) =>
  segments.map((segment) => (Array.isArray(segment) ? '[…]' : String(segment))).join('.');

/** What liquidjs parses in milliseconds; its time grows with the square of their number. */
const mostMarks = 5_000;

/** Compiles one part of a message. Throws VALIDATION_ERROR naming the part for invalid Liquid and for fields that do not exist. */
export function compilePart(path: string, source: string, kind: TemplateKind): CompiledTemplate {
  const marks = source.match(/\{[{%]/g)?.length ?? 0;
  if (marks > mostMarks)
    throw invalid(path, 'invalid_template', `${path} has ${marks} Liquid tags and outputs; at most ${mostMarks} are taken.`);
  let template: CompiledTemplate;
  try {
    template = compileTemplate(source, kind);
  } catch (error) {
    if (error instanceof TemplateError) throw invalid(path, 'invalid_template', `${path}: ${error.message}`);
    throw error;
  }
  const unknown = template.fields.find((segments) => !isKnown(segments));
  if (unknown === undefined) return template;
  throw invalid(path, 'unknown_field', `${path} reads ${fieldName(unknown)}, which does not exist; there are ${knownFields.join(', ')}.`);
}

/** The fields of these templates that are empty for this scope. */
export function missingFields(templates: readonly CompiledTemplate[], scope: object): string[] {
  const paths = templates.flatMap(({ fields }) => fields).filter(([root]) => root === 'contact');
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
