import { didYouMean } from '@mp/contracts/nearest';
import { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

/** zod's names of types, as the documentation of the API calls them. */
const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  date: 'a time',
  int: 'a whole number',
  nan: 'a number',
  nonoptional: 'a value',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
  tuple: 'a list',
};

const nameOf = (type: string) => typeNames[type] ?? type;

/** A value is shown only if it is short and helps to find its place. */
const maxShown = 60;

/**
 * Says in plain words what zod reports about missing fields and wrong types, and adds the nearest valid name to its messages about
 * unknown fields, parameters and values. Holds for the whole process.
 */
export function setValidationMessages() {
  z.config({
    customError: (issue) => {
      if (issue.code === 'unrecognized_keys') return unrecognized(issue);
      if (issue.code === 'invalid_type') return wrongType(issue);
      if (issue.code === 'invalid_value') return wrongValue(issue);
      if (issue.code === 'invalid_format') return wrongFormat(issue);
      if (issue.code === 'invalid_key') return issue.issues[0]?.message;
      return issue.code === 'invalid_union' ? noOption(issue) : undefined;
    },
  });
}

function unrecognized({ inst, keys }: RawIssue & { code: 'unrecognized_keys' }): string {
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
  const [first = ''] = keys;
  const names = keys.map((key) => `"${key}"`).join(', ');
  return `Unrecognized ${keys.length > 1 ? 'keys' : 'key'}: ${names}.${didYouMean(first, known)}`;
}

function wrongType({ expected, input }: RawIssue & { code: 'invalid_type' }): string {
  const wanted = nameOf(expected);
  if (input === undefined) return expected === 'nonoptional' ? 'This field is required.' : `This field is required: ${wanted}.`;
  const got = typeof input === 'number' && expected === 'int' ? String(input) : nameOf(z.core.util.getParsedType(input));
  return `Expected ${wanted}, not ${got}.${exampleOf(expected, input)}`;
}

/** What the caller may have meant to send. */
function exampleOf(expected: string, input: unknown): string {
  const text = typeof input === 'string' || typeof input === 'number' ? JSON.stringify(input) : undefined;
  if (text === undefined || text.length > maxShown) return '';
  if (expected === 'array') return ` Send [${text}] for one item.`;
  const plain = String(input).trim();
  if (expected === 'string' && typeof input === 'number') return ` Send "${plain}" in quotes.`;
  const isNumber = expected === 'number' || expected === 'int';
  if (typeof input !== 'string') return '';
  if (isNumber && plain !== '' && String(Number(plain)) === plain) return ` Send ${plain} without quotes.`;
  return expected === 'boolean' && (plain === 'true' || plain === 'false') ? ` Send ${plain} without quotes.` : '';
}

function wrongValue({ values, input }: RawIssue & { code: 'invalid_value' }): string | undefined {
  const options = values.map((value) => JSON.stringify(value)).join(', ');
  const wanted = values.length === 1 ? options : `one of ${options}`;
  if (input === undefined) return `This field is required: ${wanted}.`;
  if (typeof input !== 'string' || values.length === 1) return undefined;
  return `Expected ${wanted}.${didYouMean(input, values.map(String))}`;
}

/** A day where a time is meant, and the reverse, get the value in the right form. */
function wrongFormat({ format, input }: RawIssue & { code: 'invalid_format' }): string | undefined {
  const text = typeof input === 'string' ? input : '';
  if (format === 'datetime') {
    const day = z.iso.date().safeParse(text);
    const local = z.iso.datetime({ local: true }).safeParse(text);
    const example = day.success ? `${text}T00:00:00Z` : local.success ? `${text}Z` : '2026-01-31T08:00:00Z';
    return `Expected a time in UTC or with an offset, such as ${example}.`;
  }
  if (format !== 'date') return undefined;
  const time = z.iso.datetime({ offset: true, local: true }).safeParse(text);
  return `Expected a day, such as ${time.success ? text.slice(0, 10) : '2026-01-31'}.`;
}

/** For objects of several types, which a field such as `type` tells apart. */
function noOption({ inst, discriminator, input }: RawIssue & { code: 'invalid_union' }): string | undefined {
  if (!(inst instanceof z.ZodDiscriminatedUnion) || discriminator === undefined) return undefined;
  const options = [...(inst._zod.propValues[discriminator] ?? [])].map(String);
  const listed = options.map((option) => JSON.stringify(option)).join(', ');
  const given = typeof input === 'object' && input !== null ? new Map(Object.entries(input)).get(discriminator) : undefined;
  if (given === undefined) return `This field is required: one of ${listed}.`;
  return `Expected one of ${listed}.${typeof given === 'string' ? didYouMean(given, options) : ''}`;
}
