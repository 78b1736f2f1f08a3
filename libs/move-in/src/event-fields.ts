import type { EventBody, Note } from './records.ts';

const maxValues = 64;
const maxDepth = 5;
const maxPath = 100;
const maxText = 2_000;
/** An event is at most 32 KiB; the rest is for its other fields. */
const maxBytes = 24 * 1_024;
const maxAmount = 1e9;

/** Names that mean something else to JavaScript or to a database. */
const reservedNames = new Set(['__proto__', 'constructor', 'prototype', '_bsontype']);

const isPlain = (text: string) => text.isWellFormed() && !text.includes('\0');
const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
type Value = EventBody['properties'][string];

function isValue(value: unknown): value is Value {
  if (typeof value === 'string') return value.length <= maxText && isPlain(value);
  if (typeof value === 'number') return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return typeof value === 'boolean' || value === null;
}

/** Nested values as dotted paths, after those that are not nested. What an event cannot hold is left out and noted: the event still counts. */
export function eventProperties(given: Readonly<Record<string, unknown>>, event: string, notes: Note[]): EventBody['properties'] {
  const values = new Map<string, Value>();
  let bytes = 0;
  let leftOut = 0;
  function add(path: string, value: Value) {
    bytes += new TextEncoder().encode(JSON.stringify([path, value])).length;
    if (bytes > maxBytes) leftOut += 1;
    else values.set(path, value);
  }
  function walk(prefix: string, object: object, depth: number) {
    for (const [given, value] of Object.entries(object).sort(([, a], [, b]) => Number(isNested(a)) - Number(isNested(b)))) {
      const name = prefix === '' ? given.replace(/^\$+/, '') : given;
      const path = prefix === '' ? name : `${prefix}.${name}`;
      const fits = name !== '' && path.length <= maxPath && !reservedNames.has(name) && isPlain(name) && !values.has(path);
      if (fits && isNested(value) && depth < maxDepth) walk(path, value, depth + 1);
      else if (fits && isValue(value) && values.size < maxValues) add(path, value);
      else leftOut += 1;
    }
  }
  walk('', given, 1);
  if (leftOut > 0)
    notes.push({
      about: `some properties of ${event}`,
      why: 'are too many, too long, too deep or not allowed in an event, and are left out',
    });
  return Object.fromEntries(values);
}

/** A value in a currency; undefined if one of them cannot be right. */
export function moneyOf(given: unknown, currency: unknown): EventBody['value'] {
  const amount = typeof given === 'string' ? Number(given.trim() || Number.NaN) : given;
  const code = typeof currency === 'string' ? currency.trim().toUpperCase() : '';
  if (typeof amount !== 'number' || !(Math.abs(amount) <= maxAmount) || !/^[A-Z]{3}$/.test(code)) return undefined;
  return { amount: Number(amount.toFixed(4)), currency: code };
}
