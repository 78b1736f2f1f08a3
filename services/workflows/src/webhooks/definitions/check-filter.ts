import { invalid } from '@mp/contracts/errors';
import { didYouMean } from '@mp/contracts/nearest';
import { spanOf } from '@mp/rules/calendar';
import { predicateOf } from '@mp/rules/comparison';
import type { Filter } from './filter.ts';
import { type FieldSchema, type PayloadFields, payloads } from './payload-fields.ts';
import { subscribes, type Webhook } from './webhook.ts';

type Condition = Extract<Filter, { field: string }>;

/** True for a missing value, as the opposite of another op. */
const opposites: readonly string[] = ['ne', 'not_in', 'not_contains', 'missing'];

/**
 * Throws VALIDATION_ERROR for a filter that no event of the webhook can pass: at the condition with a field that these events do
 * not have, or a value that the field never has.
 */
export function checkFilter({ filter, events }: Pick<Webhook, 'filter' | 'events'>) {
  if (filter === null) return;
  const subscribed = payloads.filter(({ type }) => subscribes({ events }, type));
  for (const { condition, path } of conditionsIn(filter, '/filter')) {
    const { field, op } = condition;
    const schemas = subscribed.flatMap((payload) => payload.schemasOf(field));
    if (schemas.length === 0) throw invalid(`${path}/field`, 'unknown_field', unknownField(field, subscribed));
    const holds = predicateOf(condition);
    if (schemas.flatMap((schema) => samplesOf(schema, condition)).some((value) => holds(value) !== opposites.includes(op))) continue;
    const [value] = 'value' in condition ? [condition.value].flat() : [];
    const hint = typeof value === 'string' ? didYouMean(value, valuesIn(schemas)) : '';
    throw invalid(
      `${path}/value`,
      'never_matches',
      `${field} is ${described(schemas)}; ${op} ${JSON.stringify(value)} never matches.${hint}`,
    );
  }
  if (!subscribed.some((payload) => canBe(true, filter, payload)))
    throw invalid(
      '/filter',
      'never_matches',
      'No event that the webhook subscribes to can pass this filter: its conditions exclude each other.',
    );
}

function conditionsIn(filter: Filter, path: string): { condition: Condition; path: string }[] {
  if ('all' in filter) return filter.all.flatMap((part, index) => conditionsIn(part, `${path}/all/${index}`));
  if ('any' in filter) return filter.any.flatMap((part, index) => conditionsIn(part, `${path}/any/${index}`));
  if ('not' in filter) return conditionsIn(filter.not, `${path}/not`);
  return [{ condition: filter, path }];
}

function unknownField(field: string, subscribed: readonly PayloadFields[]): string {
  const [only, ...others] = subscribed.map(({ type }) => type);
  const of = others.length === 0 ? only : 'any event that the webhook subscribes to';
  const having = payloads.filter((payload) => payload.schemasOf(field).length > 0).map(({ type }) => type);
  if (having.length > 0) return `${field} is not a field of ${of}, but of ${having.join(', ')}.`;
  return `${field} is not a field of ${of}.${didYouMean(field, [...new Set(subscribed.flatMap(({ names }) => names))])}`;
}

/** Whether an event of this type can pass the filter, or fail it. */
function canBe(passed: boolean, filter: Filter, payload: PayloadFields): boolean {
  if ('not' in filter) return canBe(!passed, filter.not, payload);
  if ('all' in filter) return filter.all[passed ? 'every' : 'some']((part) => canBe(passed, part, payload));
  if ('any' in filter) return filter.any[passed ? 'some' : 'every']((part) => canBe(passed, part, payload));
  const holds = predicateOf(filter);
  const values = payload.schemasOf(filter.field).flatMap((schema) => samplesOf(schema, filter));
  // Data of a payload above the limit has only IDs, so every field of it can be missing.
  const canBeMissing = values.length === 0 || filter.field.startsWith('data.');
  return [...values, ...(canBeMissing ? [undefined] : [])].some((value) => holds(value) === passed);
}

/** Values of a field, among them one that meets the condition, if there is any. */
function samplesOf({ type, format, enum: values }: FieldSchema, condition: Condition): unknown[] {
  if (values) return values;
  const wanted = 'value' in condition ? [condition.value].flat() : [];
  const texts = wanted.filter((value) => typeof value === 'string');
  const numbers = wanted.filter((value) => typeof value === 'number');
  const isExact = /^(eq|ne|in|not_in)$/.test(condition.op);
  switch (type) {
    case 'string':
      return [...texts.filter((text) => format !== 'date-time' || !isExact || spanOf(text, 'UTC')), '1000-01-01', '9999-12-31'];
    case 'number':
    case 'integer':
      return [0, ...numbers.flatMap((number) => [number - 1, number, number + 1])];
    case 'boolean':
      return [true, false];
    case 'array':
      return [['1000-01-01'], ...texts.map((text) => [text])];
    case 'object':
      return [{}];
    case 'null':
      return [];
    default:
      return ['1000-01-01', '9999-12-31', 0, true, ...wanted];
  }
}

const valuesIn = (schemas: readonly FieldSchema[]) => [...new Set(schemas.flatMap((schema) => schema.enum ?? []).map(String))];

function described(schemas: readonly FieldSchema[]): string {
  const values = valuesIn(schemas);
  if (values.length > 0) return `one of ${values.join(', ')}`;
  const kinds = schemas.flatMap(({ type = '', format = '' }) => names[format] ?? names[type] ?? []);
  return [...new Set(kinds)].join(' or ');
}

const names: Readonly<Record<string, string>> = {
  'date-time': 'a date and time',
  string: 'text',
  number: 'a number',
  integer: 'a number',
  boolean: 'true or false',
  array: 'a list of text',
  object: 'an object, whose fields can be compared',
};
