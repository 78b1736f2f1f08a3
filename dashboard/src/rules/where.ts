import { isEqual } from '../json/is-equal.ts';
import { parseValue, scalarOf, textOf } from './value-text.ts';

/** One condition on a property of an event, as typed. */
export type WhereRow = { name: string; op: string; value: string };

type Where = Readonly<Record<string, unknown>>;

/** What the names of the properties of an event begin with. */
export const propertyPrefix = 'properties.';

/** The rows of conditions; undefined if they cannot be shown in rows without losing something. */
export function rowsOf(where: Where, prefix: string): WhereRow[] | undefined {
  const rows = Object.entries(where).flatMap(([name, test]) => {
    const tests = typeof test === 'object' && test !== null ? Object.entries(test) : [['eq', test] as const];
    return tests.map(([op, value]) => ({ name: name.startsWith(prefix) ? name.slice(prefix.length) : name, op, value: textOf(value, op) }));
  });
  return isEqual(whereOf(rows, prefix), where) ? rows : undefined;
}

/** The conditions from rows, which must all match. */
export function whereOf(rows: readonly WhereRow[], prefix: string): Record<string, unknown> {
  const where: Record<string, unknown> = {};
  for (const { name, op, value } of rows) {
    if (name.trim() === '') continue;
    const full = fullName(name, prefix);
    const before = where[full];
    const tests = typeof before === 'object' && before !== null ? before : before === undefined ? {} : { eq: before };
    where[full] = op === 'eq' && before === undefined ? scalarOf(value) : { ...tests, [op]: operandIn(op, value) };
  }
  return where;
}

/** A name that is none of the API's other names is that of a property. */
export const fullName = (name: string, prefix: string) =>
  /^(properties|value|context|data|responses)\./.test(name) ? name : prefix + name;

const operandIn = (op: string, text: string): unknown => (op === 'exists' ? text !== 'false' : parseValue(text, op, true));

/** The rows of the filters of an event. Filters that rows cannot express are left out, so the condition stays JSON. */
export const rowsIn = (where: Where = {}) => rowsOf(where, propertyPrefix) ?? [];

/** The `where` of an event, or nothing without filters. */
export const filtersOf = (rows: readonly WhereRow[]) => rows.length > 0 && { where: whereOf(rows, propertyPrefix) };

/** Whether every row has a name and a value, and each op stands once for each name. */
export const areComplete = (rows: readonly WhereRow[]) =>
  rows.every(({ name, value }) => name.trim() !== '' && value.trim() !== '') &&
  new Set(rows.map(({ name, op }) => `${op} ${name}`)).size === rows.length;
