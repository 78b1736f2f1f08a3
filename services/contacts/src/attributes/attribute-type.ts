import type { AttributeValue } from '@mp/contracts/contact';
import { ApiError, invalid } from '@mp/contracts/errors';
import { z } from 'zod';

/** What an attribute of an account holds: decided by its first value or whoever brings it, the same for every contact from then on. */
export const AttributeType = z.enum(['string', 'number', 'boolean', 'date', 'string_list']);
export type AttributeType = z.infer<typeof AttributeType>;

/** Keys with their types. */
export type AttributeTypes = ReadonlyMap<string, AttributeType>;

const date = z.union([z.iso.date(), z.iso.datetime({ offset: true }), z.iso.datetime({ local: true })]);
/** Most text is told from a date by its beginning. */
const likeDate = /^\d{4}-/;

export const isDate = (value: string) => likeDate.test(value) && date.safeParse(value).success;

export function typeOfValue(value: AttributeValue): AttributeType {
  if (Array.isArray(value)) return 'string_list';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return isDate(value) ? 'date' : 'string';
}

const spoken: Record<AttributeType, string> = {
  string: 'text (string)',
  number: 'a number',
  boolean: 'true or false (boolean)',
  date: 'an ISO 8601 date',
  string_list: 'a list of text (string_list)',
};

/** As many keys of an account as anybody can keep apart; more is data in the place of a name. */
export const attributeKeysMax = 1_000;

/** Said of attributes that would bring more keys than the account has room for. */
export function tooManyKeys(): ApiError {
  const message = `An account can have at most ${attributeKeysMax} attribute keys; this change would exceed that.`;
  return new ApiError('PLAN_LIMIT_EXCEEDED', message, { details: [{ path: '/attributes', code: 'too_many_keys', message }] });
}

/** Throws VALIDATION_ERROR, naming both types, when the value is not of the type its key was first given. */
export function checkAttribute(key: string, value: AttributeValue, declared: AttributeType | undefined) {
  const type = typeOfValue(value);
  if (declared === undefined || declared === type || (declared === 'string' && type === 'date')) return;
  throw invalid(
    `/attributes/${key}`,
    'wrong_type',
    `attributes.${key} is ${spoken[declared]} in this account, but this value is ${spoken[type]}.`,
  );
}
