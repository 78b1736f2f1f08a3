import type { DeclaredType } from '../contact-fields/attributes.ts';
import { fieldNames } from '../contact-fields/field-labels.ts';

const text = ['eq', 'ne', 'in', 'not_in', 'contains', 'not_contains', 'starts_with', 'ends_with'];
const order = ['gt', 'gte', 'lt', 'lte', 'between'];
const presence = ['exists', 'missing'];
const times = ['created_at', 'updated_at', 'last_seen_at'];

const equality = ['eq', 'ne', 'in', 'not_in'];
const ofList = ['contains', 'not_contains', 'in', 'not_in', ...presence];

/** The operators that can match an attribute of this type. */
const opsOfType: Readonly<Record<DeclaredType, readonly string[]>> = {
  string: [...text, ...presence],
  number: [...equality, ...order, ...presence],
  boolean: ['eq', 'ne', ...presence],
  date: ['eq', 'ne', ...order, ...presence],
  string_list: ofList,
};

/** The operators of a field. Dates of a contact have their own kind of condition. */
export function opsOf(field: string, type?: DeclaredType): readonly string[] {
  if (field === 'tags') return ofList;
  if (field.startsWith('attributes.')) return type ? opsOfType[type] : [...text, ...order, ...presence];
  return [...text, ...presence];
}

export const askableFields = fieldNames.filter((name) => !times.includes(name));
export const momentFields = times;
export const dateOps = ['in_last', 'not_in_last', 'in_next', 'before', 'after', 'on', 'anniversary'] as const;
export const isPresence = (op: string) => op === 'exists' || op === 'missing';
export const isWindow = (op: string) => ['in_last', 'not_in_last', 'in_next', 'anniversary'].includes(op);
export const activities = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'refused',
  'complained',
  'unsubscribed',
  'converted',
] as const;

export const formActivities = ['submitted', 'confirmed'] as const;
