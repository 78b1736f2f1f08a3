import type { SegmentTrait } from '../settings/segment-traits.ts';
import { flatten, type Loose, memberOf, membersOf } from './loose-values.ts';

type Value = string | number | boolean | null | readonly string[];

const maxNamed = 10;
const maxListed = 100;

/** The fields of the contact that the traits describe, and the traits that have none. */
export function contactFieldsOf(traits: Loose, table: readonly SegmentTrait[]): { fields: Record<string, unknown>; unmapped: string[] } {
  const flat = new Map<string, Value>();
  for (const { trait, field } of table) {
    const value = at(traits, trait);
    if (isValue(value)) flat.set(field, field.startsWith('attributes.') || value === null ? value : String(value));
  }
  const nameText = flat.get('name');
  const [first, ...rest] = typeof nameText === 'string' ? nameText.trim().split(/\s+/) : [];
  flat.delete('name');
  if (first && !flat.has('first_name')) flat.set('first_name', first);
  if (rest.length > 0 && !flat.has('last_name')) flat.set('last_name', rest.join(' '));
  return { fields: nested(flat), unmapped: unmappedIn(traits, table) };
}

/** The value at a path of names, which may contain dots themselves. */
function at(given: unknown, path: string): unknown {
  const members = membersOf(given);
  if (Object.hasOwn(members, path)) return memberOf(members, path);
  const dot = path.indexOf('.');
  const inner = dot === -1 ? undefined : memberOf(members, path.slice(0, dot));
  return inner === undefined ? undefined : at(inner, path.slice(dot + 1));
}

function isValue(value: unknown): value is Value {
  if (Array.isArray(value)) return value.length <= maxListed && value.every((item) => typeof item === 'string');
  return value === null || ['string', 'boolean'].includes(typeof value) || (typeof value === 'number' && Number.isFinite(value));
}

function nested(flat: ReadonlyMap<string, Value>): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [group, members] of Map.groupBy(flat, ([field]) => field.split('.')[0] ?? field))
    fields.set(
      group,
      members.some(([field]) => field.includes('.'))
        ? Object.fromEntries(members.map(([field, value]) => [field.slice(group.length + 1), value]))
        : members[0]?.[1],
    );
  return Object.fromEntries(fields);
}

/** Only names: the debugger shows no traits. */
function unmappedIn(traits: Loose, table: readonly SegmentTrait[]): string[] {
  const mapped = table.map(({ trait }) => trait);
  const isMapped = (path: string) => mapped.some((trait) => path === trait || path.startsWith(`${trait}.`));
  return Object.keys(flatten(traits).values)
    .filter((path) => !isMapped(path))
    .map((path) => path.slice(0, 40))
    .slice(0, maxNamed);
}
