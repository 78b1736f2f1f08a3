import type { PropertyValue } from '../events/properties.ts';

export type Loose = Readonly<Record<string, unknown>>;

const isLoose = (value: unknown): value is Loose => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a value that should be an object; none of anything else. It is not copied: it may be large, and read once per call. */
export const membersOf = (value: unknown): Loose => (isLoose(value) ? value : {});

/** The own member of this name. */
export const memberOf = (value: Loose, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined);

/** The value as text, cut to a length; undefined if it is not a text or number. */
export function textOf(value: unknown, max: number): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  return value.slice(0, max).toWellFormed().replaceAll('\0', '').trim() || undefined;
}

/** A moment in any form that Segment takes; undefined if it is none. */
export function momentOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const moment = new Date(value);
  const year = moment.getUTCFullYear();
  return year >= 1970 && year <= 9_999 ? moment.toISOString() : undefined;
}

const maxValues = 64;
const maxDepth = 5;
const maxPath = 100;
const maxText = 2_000;

/** Names that mean something else to JavaScript or to the database driver. */
const reservedNames = new Set(['__proto__', 'constructor', 'prototype', '_bsontype']);

/**
 * Flattens nested values to dotted paths, as those of any event. What an event cannot hold is left out and counted: a program that
 * moves here must not lose an order because its fortieth product does not fit.
 */
export function flatten(given: Loose): { values: Record<string, PropertyValue>; leftOut: number } {
  const values = new Map<string, PropertyValue>();
  let leftOut = 0;
  function walk(prefix: string, value: object, depth: number) {
    for (const [name, member] of Object.entries(value)) {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      const isNested = typeof member === 'object' && member !== null;
      const fits = isNested ? depth < maxDepth : values.size < maxValues && isValue(member);
      if (!fits || name === '' || path.length > maxPath || reservedNames.has(name) || !isPlain(name)) leftOut += 1;
      else if (isNested) walk(path, member, depth + 1);
      else values.set(path, member as PropertyValue);
    }
  }
  walk('', given, 1);
  return { values: Object.fromEntries(values), leftOut };
}

const isPlain = (text: string) => text.isWellFormed() && !text.includes('\0');

function isValue(value: unknown): value is PropertyValue {
  if (typeof value === 'string') return value.length <= maxText && isPlain(value);
  if (typeof value === 'number') return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return typeof value === 'boolean' || value === null;
}
