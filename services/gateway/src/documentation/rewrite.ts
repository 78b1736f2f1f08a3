import type { Schema } from './openapi-types.ts';

/** Applies `change` to every object in a document, innermost first. */
export function rewrite(value: unknown, change: (object: Schema) => Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rewrite(member, change)])));
}
