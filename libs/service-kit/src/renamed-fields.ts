import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** The renamed fields of a schema and of what it contains. */
export type Renames = {
  /** The old name of each renamed field. */
  oldNames: ReadonlyMap<string, string>;
  fields: ReadonlyMap<string, Renames>;
  /** Those of each item of an array, or of each value of a record. */
  items?: Renames | undefined;
};

const known = new WeakMap<z.ZodType, Renames | undefined>();

/** The renames of a schema; undefined if there are none. A recursive schema is read once, so it must not be renamed within itself. */
export function renamesOf(schema: unknown): Renames | undefined {
  if (!(schema instanceof z.ZodType)) return undefined;
  if (known.has(schema)) return known.get(schema);
  known.set(schema, undefined);
  const renames = readRenames(schema);
  known.set(schema, renames);
  return renames;
}

function readRenames(schema: z.ZodType): Renames | undefined {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return renamesOfObject(Object.entries(def.shape));
    case 'array':
      return itemsOf(renamesOf(def.element));
    case 'record':
      return itemsOf(renamesOf(def.valueType));
    case 'union':
      return def.options.map(renamesOf).reduce(merged, undefined);
    case 'intersection':
      return merged(renamesOf(def.left), renamesOf(def.right));
    case 'pipe':
      return merged(renamesOf(def.in), renamesOf(def.out));
    case 'lazy':
      return renamesOf(def.getter());
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'catch':
    case 'readonly':
      return renamesOf(def.innerType);
    default:
      return undefined;
  }
}

function renamesOfObject(shape: readonly (readonly [string, unknown])[]): Renames | undefined {
  const oldNames = new Map<string, string>();
  const fields = new Map<string, Renames>();
  for (const [name, field] of shape) {
    const formerly = field instanceof z.ZodType ? field.meta()?.formerly : undefined;
    if (typeof formerly === 'string') oldNames.set(name, formerly);
    const inner = renamesOf(field);
    if (inner) fields.set(name, inner);
  }
  return oldNames.size + fields.size === 0 ? undefined : { oldNames, fields };
}

const itemsOf = (items: Renames | undefined): Renames | undefined => items && { oldNames: new Map(), fields: new Map(), items };

function merged(one: Renames | undefined, other: Renames | undefined): Renames | undefined {
  if (!one || !other) return one ?? other;
  const fields = new Map(one.fields);
  for (const [name, inner] of other.fields) fields.set(name, merged(fields.get(name), inner) ?? inner);
  return { oldNames: new Map([...one.oldNames, ...other.oldNames]), fields, items: merged(one.items, other.items) };
}

/**
 * What has old names, by the new ones: a request, or what an earlier version stored. Where both names are there, the new one counts, and
 * `onBoth` is called if they differ.
 */
export function withNewNames(value: unknown, renames: Renames, onBoth: OnBoth = () => undefined, path = ''): unknown {
  if (Array.isArray(value)) return eachItem(value, renames, (item, inner, index) => withNewNames(item, inner, onBoth, `${path}/${index}`));
  if (!isRecord(value)) return value;
  const named: Record<string, unknown> = { ...value };
  for (const [name, oldName] of renames.oldNames) {
    if (named[oldName] === undefined) continue;
    if (named[name] === undefined) named[name] = named[oldName];
    else if (!isDeepStrictEqual(named[name], named[oldName])) onBoth({ path: `${path}/${oldName}`, name, oldName });
    delete named[oldName];
  }
  return eachField(named, renames, (field, inner, name) => withNewNames(field, inner, onBoth, `${path}/${name}`));
}

type OnBoth = (differing: { path: string; name: string; oldName: string }) => void;

/** A response with the old names beside the new ones. */
export function withBothNames(value: unknown, renames: Renames): unknown {
  if (Array.isArray(value)) return eachItem(value, renames, withBothNames);
  if (!isRecord(value)) return value;
  const named = eachField(value, renames, withBothNames);
  for (const [name, oldName] of renames.oldNames) if (name in named) named[oldName] = named[name];
  return named;
}

/** A request by its old names, so that a retry is recognised across the rename, whichever names it has. */
export function withOldNames(value: unknown, renames: Renames): unknown {
  if (Array.isArray(value)) return eachItem(value, renames, withOldNames);
  if (!isRecord(value)) return value;
  const named = Object.entries(eachField(value, renames, withOldNames));
  return Object.fromEntries(named.map(([name, field]) => [renames.oldNames.get(name) ?? name, field]));
}

type Rename<At> = (value: unknown, renames: Renames, at: At) => unknown;

const eachItem = (values: unknown[], { items }: Renames, rename: Rename<number>) =>
  items ? values.map((item, index) => rename(item, items, index)) : values;

/** A copy, with the renames inside of its fields, or of each value of a record. */
function eachField(value: Record<string, unknown>, { fields, items }: Renames, rename: Rename<string>): Record<string, unknown> {
  const entries = Object.entries(value).map(([name, field]) => {
    const inner = fields.get(name) ?? items;
    return [name, inner ? rename(field, inner, name) : field] as const;
  });
  return Object.fromEntries(entries);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value);
