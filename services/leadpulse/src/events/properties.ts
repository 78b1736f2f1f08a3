import { z } from 'zod';

export type PropertyValue = string | number | boolean | null;
export type Properties = Record<string, PropertyValue>;

const maxProperties = 64;
const maxDepth = 5;
const maxPathLength = 200;
const maxTextLength = 2_000;

/** Flattens nested objects and lists into dotted paths: `{"cart": {"items": [{"sku": "a"}]}}` becomes `cart.items.0.sku`. */
export const EventProperties = z
  .record(z.string().min(1).max(100), z.unknown())
  .transform((given, context): Properties => {
    const flat = new Map<string, PropertyValue>();
    const fault = flatten(flat, '', given, 1);
    if (fault === undefined) return Object.fromEntries(flat);
    context.addIssue({ code: 'custom', message: fault, params: { code: 'invalid_properties' } });
    return z.NEVER;
  })
  .describe(
    `At most ${maxProperties} values. Nested values become dotted paths, at most ${maxDepth} levels deep. Unpaired surrogates in text are stored as U+FFFD.`,
  );

/** Fills `flat`. Returns an error message, or undefined. */
function flatten(flat: Map<string, PropertyValue>, prefix: string, value: object, depth: number): string | undefined {
  if (depth > maxDepth) return `${prefix} is nested more than ${maxDepth} levels deep`;
  for (const [key, member] of Object.entries(value)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (path.length > maxPathLength) return `the path of ${path.slice(0, 40)}… is longer than ${maxPathLength} characters`;
    if (typeof member === 'object' && member !== null) {
      const fault = flatten(flat, path, member, depth + 1);
      if (fault !== undefined) return fault;
      continue;
    }
    if (typeof member === 'string' && member.length > maxTextLength) return `${path} is longer than ${maxTextLength} characters`;
    if (typeof member === 'number' && !Number.isFinite(member)) return `${path} is not a finite number`;
    flat.set(path, typeof member === 'string' ? member.toWellFormed() : member);
    if (flat.size > maxProperties) return `expected at most ${maxProperties} properties`;
  }
  return undefined;
}
