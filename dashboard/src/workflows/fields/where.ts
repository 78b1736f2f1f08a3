import { isEqual } from '../../json/is-equal.ts';

/** One condition on a property, as typed. */
export type WhereRow = { name: string; op: string; value: string };

type Where = Readonly<Record<string, unknown>>;

const isList = (op: string) => op === 'in' || op === 'not_in' || op === 'between';

/** The rows of conditions; undefined if they cannot be shown in rows without losing something. */
export function rowsOf(where: Where, prefix: string): WhereRow[] | undefined {
  const rows = Object.entries(where).flatMap(([name, test]) => {
    const tests = typeof test === 'object' && test !== null ? Object.entries(test) : [['eq', test] as const];
    return tests.map(([op, value]) => ({ name: name.startsWith(prefix) ? name.slice(prefix.length) : name, op, value: textOf(op, value) }));
  });
  return isEqual(whereOf(rows, prefix), where) ? rows : undefined;
}

/** The conditions from rows. A name that is none of the API's other names is that of a property. */
export function whereOf(rows: readonly WhereRow[], prefix: string): Record<string, unknown> {
  const where: Record<string, unknown> = {};
  for (const { name, op, value } of rows) {
    if (name.trim() === '') continue;
    const full = /^(properties|value|context|data|responses)\./.test(name) ? name : prefix + name;
    const before = where[full];
    const tests = typeof before === 'object' && before !== null ? before : before === undefined ? {} : { eq: before };
    where[full] = op === 'eq' && before === undefined ? valueIn(op, value) : { ...tests, [op]: valueIn(op, value) };
  }
  return where;
}

const textOf = (op: string, value: unknown) => (isList(op) && Array.isArray(value) ? value.map(String).join(', ') : String(value));

function valueIn(op: string, text: string): unknown {
  if (op === 'exists') return text !== 'false';
  if (!isList(op)) return scalarOf(text);
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(scalarOf);
}

/** A number or a boolean if the text is one. A number that begins with 0, such as a postal code, is text. */
export function scalarOf(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
