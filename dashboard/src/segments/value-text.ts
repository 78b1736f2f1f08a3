/** A value of a rule as it is typed. */
export const textOf = (value: unknown): string => (Array.isArray(value) ? value.map(textOf).join(', ') : String(value));

const isList = (op: string) => op === 'in' || op === 'not_in' || op === 'between';

/** Parses a value or a list. Contact fields are compared as text, attributes and properties by the type of the value. */
export function askedOf(text: string, op: string, isTyped: boolean): unknown {
  const read = isTyped && !['contains', 'not_contains', 'starts_with', 'ends_with'].includes(op) ? scalarOf : (value: string) => value;
  if (!isList(op)) return read(text);
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map(read);
}

export function scalarOf(text: string): string | number | boolean {
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  // A number that begins with 0, such as a postal code, is text.
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : text;
}
