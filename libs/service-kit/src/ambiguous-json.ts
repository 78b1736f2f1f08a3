import { type ApiError, invalid } from '@mp/contracts/errors';

/** Whether this JSON may hold what programs read differently. Says yes too often, and is quick. */
export const mayBeAmbiguous = (json: string) => /\\u(?:0000|d[89a-f])|\d{16}|\d[eE]/i.test(json);

/**
 * What JSON allows and does not survive: integers that a double does not hold exactly (RFC 7493 §2.2), half a surrogate
 * pair, which would be stored as another character, and NUL, which ends a text for many programs.
 */
export function ambiguityIn(value: unknown, path = ''): ApiError | undefined {
  if (typeof value === 'number') return isExact(value) ? undefined : unsafeNumber(path);
  if (typeof value === 'string') return textFault(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const fault = textFault(name, path) ?? ambiguityIn(inner, `${path}/${name}`);
    if (fault) return fault;
  }
  return undefined;
}

const isExact = (value: number) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

const unsafeNumber = (path: string) =>
  invalid(path || '/', 'unsafe_number', `${path || 'The body'}: a number beyond ±9007199254740991 is not exact in JSON; send it as text.`);

function textFault(text: string, path: string): ApiError | undefined {
  if (!text.isWellFormed()) return invalid(path || '/', 'invalid_encoding', 'A text has one half of a surrogate pair without the other.');
  return text.includes('\0') ? invalid(path || '/', 'invalid_format', 'A text holds no NUL (U+0000).') : undefined;
}
