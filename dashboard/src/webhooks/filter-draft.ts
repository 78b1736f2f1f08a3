import { isEqual } from '../json/is-equal.ts';
import { isPresence } from '../rules/operators.ts';
import { parseValue, textOf } from '../rules/value-text.ts';
import type { NewWebhook } from './webhooks.ts';

type Filter = NonNullable<NewWebhook['filter']>;

export type FilterRow = { field: string; op: string; value: string };

/** A filter as conditions in rows, or as JSON if rows cannot show it. Without rows, every event passes. */
export type FilterDraft = { match: 'all' | 'any'; rows: FilterRow[] } | string;

export const noFilter: FilterDraft = { match: 'all', rows: [] };

const data = 'data.';
const envelope = new Set(['type', 'cause', 'changed']);

/** A field without the prefix that nearly all fields have. */
export const shortField = (field: string) => {
  const short = field.startsWith(data) ? field.slice(data.length) : field;
  return envelope.has(short) ? field : short;
};

const fullField = (field: string) => (envelope.has(field) || field.startsWith(data) ? field : data + field);

const conditionOf = ({ field, op, value }: FilterRow) => ({
  field: fullField(field.trim()),
  op,
  ...(!isPresence(op) && { value: parseValue(value, op, true) }),
});

/** The filter of the request. The API checks its form. */
export function filterOf(draft: FilterDraft): Filter | null {
  if (typeof draft === 'string') return draft.trim() === '' ? null : (JSON.parse(draft) as Filter);
  const [first, ...others] = draft.rows.map(conditionOf);
  if (!first) return null;
  return (others.length === 0 ? first : { [draft.match]: [first, ...others] }) as Filter;
}

export function filterDraftOf(filter: Filter | null): FilterDraft {
  if (filter === null) return noFilter;
  const match = 'any' in filter ? 'any' : 'all';
  const parts: readonly object[] = 'any' in filter ? filter.any : 'all' in filter ? filter.all : [filter];
  const rows = parts.flatMap((part) =>
    'field' in part && 'op' in part
      ? [{ field: shortField(String(part.field)), op: String(part.op), value: 'value' in part ? textOf(part.value, String(part.op)) : '' }]
      : [],
  );
  const draft = { match, rows } as const;
  const again = filterOf({ match, rows });
  const written = parts.length === 1 && !('field' in filter) ? parts[0] : filter;
  return isEqual(again, written) ? draft : JSON.stringify(filter, null, 2);
}

export function filterError(draft: FilterDraft): string | null {
  if (typeof draft === 'string') return draft.trim() === '' || isObject(draft) ? null : 'This is not a JSON object.';
  const isComplete = draft.rows.every(({ field, op, value }) => field.trim() !== '' && (isPresence(op) || value.trim() !== ''));
  return isComplete ? null : 'Complete or remove each condition.';
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The fields of an example of an event, each with its value. */
export function fieldsIn(example: object): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (value: unknown, path: string) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [name, inner] of Object.entries(value)) walk(inner, path === '' ? name : `${path}.${name}`);
      return;
    }
    const isField = path.startsWith(data) || envelope.has(path);
    if (isField) found.set(shortField(path), Array.isArray(value) ? String(value[0] ?? '') : value === null ? '' : String(value));
  };
  walk(example, '');
  return found;
}
