import { commaList } from '../form/comma-list.ts';

/** Between the bounds of `between`; fields cannot contain it. */
const boundary = '\n';

/** A value of a rule as it is typed. */
export const textOf = (value: unknown, op?: string): string =>
  Array.isArray(value) ? value.map((item) => textOf(item)).join(op === 'between' ? boundary : ', ') : String(value);

/** The lower and the upper bound in the text of `between`. */
export function boundsOf(text: string): [low: string, high: string] {
  const [low = '', high = ''] = text.split(boundary);
  return [low.trim(), high.trim()];
}

export const boundsText = (...bounds: [low: string, high: string]) => bounds.join(boundary);

/** Parses a value or a list. Contact fields are compared as text, attributes and properties by the type of the value. */
export function parseValue(text: string, op: string, isTyped: boolean): unknown {
  const read = isTyped && !['contains', 'not_contains', 'starts_with', 'ends_with'].includes(op) ? scalarOf : (value: string) => value;
  if (op === 'between') return boundsOf(text).map(read);
  if (op !== 'in' && op !== 'not_in') return read(text);
  return commaList(text).map(read);
}

export function scalarOf(text: string): string | number | boolean {
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  // A number that begins with 0, such as a postal code, is text.
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : text;
}
