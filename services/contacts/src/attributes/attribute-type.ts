import type { AttributeValue } from '@mp/contracts/contact';
import { ApiError, invalid } from '@mp/contracts/errors';
import { z } from 'zod';

/** The type of an attribute key: stated or taken from its first value, and from then on the same for every contact. */
export const AttributeType = z.enum(['string', 'number', 'boolean', 'date', 'string_list']);
export type AttributeType = z.infer<typeof AttributeType>;

/** Keys with their types. */
export type AttributeTypes = ReadonlyMap<string, AttributeType>;

const date = z.union([z.iso.date(), z.iso.datetime({ offset: true }), z.iso.datetime({ local: true })]);
/** A cheap check that rules out most text before parsing it as a date. */
const likeDate = /^\d{4}-/;

export const isDate = (value: string) => likeDate.test(value) && date.safeParse(value).success;

export function typeOfValue(value: AttributeValue): AttributeType {
  if (Array.isArray(value)) return 'string_list';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return isDate(value) ? 'date' : 'string';
}

const typeNames: Record<AttributeType, string> = {
  string: 'text (string)',
  number: 'a number',
  boolean: 'true or false (boolean)',
  date: 'an ISO 8601 date',
  string_list: 'a list of text (string_list)',
};

/** Far more keys than people can keep track of; an account with more is using data as names. */
export const maxAttributeKeys = 1_000;

/** The error for attributes that would exceed the account's maximum of keys. */
export function tooManyKeys(): ApiError {
  const message = `An account can have at most ${maxAttributeKeys} attribute keys; this change would exceed that.`;
  return new ApiError('PLAN_LIMIT_EXCEEDED', message, { details: [{ path: '/attributes', code: 'too_many_keys', message }] });
}

/** Throws VALIDATION_ERROR, naming both types, if the value does not have the declared type of its key. */
export function checkAttribute(key: string, value: AttributeValue, declared: AttributeType | undefined) {
  const type = typeOfValue(value);
  if (declared === undefined || declared === type || (declared === 'string' && type === 'date')) return;
  throw invalid(
    `/attributes/${key}`,
    'wrong_type',
    `attributes.${key} is ${typeNames[declared]} in this account, but this value is ${typeNames[type]}.`,
  );
}
