import { z } from 'zod';
import type { Attribute, MovedContact, Note } from './records.ts';

/** An account can have 1,000 keys; the others stay free for its own. */
const maxKeys = 900;

const date = z.union([z.iso.date(), z.iso.datetime({ offset: true }), z.iso.datetime({ local: true })]);
const isDate = (value: string) => /^\d{4}-/.test(value) && date.safeParse(value).success;

function typeOf(value: Attribute): string {
  if (Array.isArray(value)) return 'string_list';
  if (typeof value !== 'string') return typeof value;
  return isDate(value) ? 'date' : 'string';
}

/**
 * Gives each key one type, as the platform requires: values of a key that differ become text. Returns the types of keys whose values
 * alone would suggest another one: text that often looks like dates.
 */
export function fitAttributes(contacts: readonly MovedContact[], note: (note: Note) => void): Record<string, string> {
  const keys = new Map<string, { count: number; types: Set<string> }>();
  for (const { fields } of contacts)
    for (const [key, value] of Object.entries(fields.attributes ?? {})) {
      const known = keys.get(key) ?? { count: 0, types: new Set<string>() };
      known.count += 1;
      known.types.add(typeOf(value));
      keys.set(key, known);
    }
  const used = [...keys].sort(([, a], [, b]) => b.count - a.count);
  const left = new Set(used.slice(maxKeys).map(([key]) => key));
  for (const [key, { count }] of used.slice(maxKeys))
    for (let index = 0; index < count; index += 1)
      note({ about: `attribute ${key}`, why: `is not among the ${maxKeys} that are used most` });
  const mixed = new Set(used.flatMap(([key, { types }]) => (types.size > 1 ? [key] : [])));
  for (const { fields } of contacts) {
    const { attributes } = fields;
    for (const [key, value] of Object.entries(attributes ?? {})) {
      if (!attributes) continue;
      if (left.has(key)) delete attributes[key];
      else if (mixed.has(key) && typeof value !== 'string')
        attributes[key] = Array.isArray(value) ? value.join(', ').slice(0, 1_000) : String(value);
    }
  }
  return Object.fromEntries([...mixed].filter((key) => !left.has(key)).map((key) => [key, 'string']));
}
