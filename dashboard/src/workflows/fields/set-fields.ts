import { scalarOf } from '../../rules/value-text.ts';

const groups = ['attributes', 'address'];

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields that an update sets, each by its full name: `attributes.plan` for the key of a group. */
export const fieldsOf = (set: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(set).flatMap(([name, value]) =>
      groups.includes(name) && isObject(value) ? Object.entries(value).map(([key, one]) => [`${name}.${key}`, one]) : [[name, value]],
    ),
  );

/** The body of an update from fields by their full names. */
export function membersOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const group = groups.find((one) => name.startsWith(`${one}.`) && name.length > one.length + 1);
    if (!group) members[name] = value;
    else {
      const before = members[group];
      members[group] = { ...(isObject(before) && before), [name.slice(group.length + 1)]: value };
    }
  }
  return members;
}

/** The text of the value of a field. */
export const fieldText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** What a text means as the value of a field: tags are a list, an attribute can be a number; other fields of contacts are text. */
export function fieldValueOf(text: string, name: string): unknown {
  if (name.startsWith('attributes.')) return scalarOf(text);
  if (name !== 'tags') return text;
  return text
    .replace(/^\[|\]$|"/g, '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
