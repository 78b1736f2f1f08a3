import { valueAt } from './value-at.ts';

const whole = /^\{\{\s*([^\s{}]+)\s*\}\}$/;
const within = /\{\{\s*([^\s{}]+)\s*\}\}/g;
const any = /\{\{([^{}]*)\}\}/g;

/** The filled value would be too large. Thrown before it is built, which could exhaust the memory. */
export class FilledTooLarge extends Error {}

/** What placeholders can read, by the first part of their name. */
export type PlaceholderScope = Readonly<Record<string, unknown>>;

/**
 * The value with its placeholders filled. A string that is a single placeholder becomes the value with its type. Throws
 * FilledTooLarge when the values together exceed `maxBytes`.
 */
export function fillPlaceholders(value: unknown, scope: PlaceholderScope, maxBytes: number): unknown {
  const taken = new Map<string, { value: unknown; bytes: number }>();
  let room = maxBytes;
  const take = (name: string) => {
    const found = taken.get(name) ?? weighed(valueAt(scope, name));
    taken.set(name, found);
    room -= found.bytes;
    if (room < 0) throw new FilledTooLarge();
    return found.value;
  };
  return fill(value, take);
}

function fill(value: unknown, take: (name: string) => unknown): unknown {
  if (typeof value === 'string') {
    const [, only] = whole.exec(value) ?? [];
    if (only !== undefined) return take(only) ?? null;
    return value.replace(within, (_, name: string) => textOf(take(name)));
  }
  if (Array.isArray(value)) return value.map((member) => fill(member, take));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fill(member, take)]));
}

const weighed = (value: unknown) => ({ value, bytes: Buffer.byteLength(textOf(value)) });
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value ?? '') : String(value ?? ''));

/** The names of all placeholders in a value, as written. */
export const placeholdersIn = (value: unknown): string[] =>
  [...(JSON.stringify(value) ?? '').matchAll(any)].map(([, name = '']) => name.trim());

/** Whether filling the value needs the fields of the contact. */
export const readsContact = (value: unknown): boolean =>
  placeholdersIn(value).some((name) => name.startsWith('contact.') && name !== 'contact.id');
