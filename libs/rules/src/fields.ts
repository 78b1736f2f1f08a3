/** The type of a field. `any` is an attribute: the account decides its type, and the value in the rule decides how it is compared. */
export type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'string_list' | 'any';

/** The contact fields that rules can use, besides `attributes.<key>`, with their types. */
export const contactFields: Readonly<Record<string, FieldType>> = {
  external_id: 'string',
  email: 'string',
  phone: 'string',
  first_name: 'string',
  last_name: 'string',
  company: 'string',
  job_title: 'string',
  locale: 'string',
  timezone: 'string',
  'address.line1': 'string',
  'address.line2': 'string',
  'address.city': 'string',
  'address.region': 'string',
  'address.postal_code': 'string',
  'address.country': 'string',
  tags: 'string_list',
  status: 'string',
  source: 'string',
  'consent.email': 'string',
  'consent.sms': 'string',
  created_at: 'date',
  updated_at: 'date',
  last_seen_at: 'date',
};

/** Short names of fields. A stored rule keeps the name as written; all other code sees the full name. */
export const fieldAliases: Readonly<Record<string, string>> = {
  country: 'address.country',
  city: 'address.city',
};

const equality = ['eq', 'ne', 'in', 'not_in'] as const;
const text = ['contains', 'not_contains', 'starts_with', 'ends_with'] as const;
const order = ['gt', 'gte', 'lt', 'lte', 'between'] as const;
const presence = ['exists', 'missing'] as const;

export const fieldOps = [...equality, ...text, ...order, ...presence] as const;
export type FieldOp = (typeof fieldOps)[number];

export const opsOfType: Readonly<Record<FieldType, readonly FieldOp[]>> = {
  string: [...equality, ...text, ...presence],
  number: [...equality, ...order, ...presence],
  boolean: ['eq', 'ne', ...presence],
  date: ['eq', 'ne', ...order, ...presence],
  string_list: ['contains', 'not_contains', 'in', 'not_in', ...presence],
  any: fieldOps,
};

export type Field = { name: string; type: FieldType };

export const attributePrefix = 'attributes.';
const maxAttributeKeyLength = 200;

/** Consent of a channel for one topic, such as `consent.email.topics.newsletter`. */
const topicConsent = /^consent\.(email|sms)\.topics\.[a-z0-9][a-z0-9_-]{0,63}$/;

/** The field with this name or alias, under its full name; undefined when there is none. */
export function fieldNamed(name: string): Field | undefined {
  if (name.startsWith(attributePrefix)) {
    const key = name.slice(attributePrefix.length);
    return key.length > 0 && key.length <= maxAttributeKeyLength ? { name, type: 'any' } : undefined;
  }
  if (topicConsent.test(name)) return { name, type: 'string' };
  const full = Object.hasOwn(fieldAliases, name) ? (fieldAliases[name] ?? name) : name;
  const type = Object.hasOwn(contactFields, full) ? contactFields[full] : undefined;
  return type && { name: full, type };
}

/** The full name of a field of a checked rule. */
export const fullFieldName = (name: string): string => fieldNamed(name)?.name ?? name;
