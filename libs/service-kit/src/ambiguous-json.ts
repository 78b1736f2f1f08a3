import { type ApiError, invalid } from '@mp/contracts/errors';

/** Whether this JSON may contain what `ambiguityIn` finds. A fast check with false positives. */
export const mayBeAmbiguous = (json: string) => /_bsontype|\\u(?:00|d[89a-f])|\d{16}|\d[eE]/i.test(json);

/**
 * Finds values that JSON allows but that do not survive processing: integers that a double cannot represent exactly
 * (RFC 7493 §2.2), lone surrogates, which would be stored as another character, NUL, which ends a text in many programs, and the field name `_bsontype`, by which the
 * MongoDB driver takes an object for one of its own types.
 */
export function ambiguityIn(value: unknown, path = ''): ApiError | undefined {
  if (typeof value === 'number') return isExact(value) ? undefined : unsafeNumber(path);
  if (typeof value === 'string') return textFault(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const fault = nameFault(name, path) ?? ambiguityIn(inner, `${path}/${name}`);
    if (fault) return fault;
  }
  return undefined;
}

const isExact = (value: number) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

const unsafeNumber = (path: string) =>
  invalid(path || '/', 'unsafe_number', `${path || 'The body'}: integers beyond ±9007199254740991 lose precision; send them as strings.`);

const nameFault = (name: string, path: string) =>
  name === '_bsontype'
    ? invalid(`${path}/${name}`, 'invalid_format', `The field name ${name} is reserved; use another.`)
    : textFault(name, path);

function textFault(text: string, path: string): ApiError | undefined {
  if (!text.isWellFormed())
    return invalid(path || '/', 'invalid_encoding', 'A string contains a lone surrogate; send well-formed Unicode.');
  return text.includes('\0') ? invalid(path || '/', 'invalid_format', 'A string contains NUL (U+0000); remove it.') : undefined;
}
