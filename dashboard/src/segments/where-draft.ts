import { askedOf, scalarOf, textOf } from './value-text.ts';

/** A filter on a property of an event, as typed. */
export type WhereDraft = { property: string; op: string; value: string };

export const whereOps = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'] as const;

/** The property filters of an event, one for each op. */
export const whereDrafts = (where: Readonly<Record<string, unknown>> | undefined): WhereDraft[] =>
  Object.entries(where ?? {}).flatMap(([name, test]) => {
    const property = name.replace(/^properties\./, '');
    const tests = typeof test === 'object' && test !== null ? Object.entries(test) : [['eq', test] as const];
    return tests.map(([op, value]) => ({ property, op, value: textOf(value) }));
  });

/** The `where` of an event, or nothing without filters. Several filters of one property must all match. */
export function whereOf(filters: readonly WhereDraft[]) {
  const where: Record<string, unknown> = {};
  for (const filter of filters) {
    const name = `properties.${filter.property}`;
    where[name] = name in where ? { ...opsOf(where[name]), ...opsOf(testOf(filter)) } : testOf(filter);
  }
  return filters.length > 0 && { where };
}

/** A test as ops: a value alone means `eq`. */
const opsOf = (test: unknown): object => (typeof test === 'object' && test !== null ? test : { eq: test });

const testOf = ({ op, value }: WhereDraft): unknown => (op === 'eq' ? scalarOf(value) : { [op]: askedOf(value, op, true) });

/** Each op is possible once for each property. */
export const isWhereComplete = (filters: readonly WhereDraft[]) =>
  filters.every(({ property, value }) => property.trim() !== '' && value.trim() !== '') &&
  new Set(filters.map(({ property, op }) => `${op} ${property}`)).size === filters.length;
