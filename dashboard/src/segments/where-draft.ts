import { askedOf, scalarOf, textOf } from './value-text.ts';

/** A filter on a property of an event, as typed. */
export type WhereDraft = { property: string; op: string; value: string };

export const whereOps = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'] as const;

/** The property filters of an event. The fields hold one op for each property. */
export const whereDrafts = (where: Readonly<Record<string, unknown>> | undefined): WhereDraft[] =>
  Object.entries(where ?? {}).map(([name, test]) => {
    const [op = 'eq', value = ''] = typeof test === 'object' && test !== null ? (Object.entries(test)[0] ?? []) : ['eq', test];
    return { property: name.replace(/^properties\./, ''), op, value: textOf(value) };
  });

/** The `where` of an event, or nothing without filters. */
export const whereOf = (filters: readonly WhereDraft[]) =>
  filters.length > 0 && { where: Object.fromEntries(filters.map((one) => [`properties.${one.property}`, testOf(one)])) };

const testOf = ({ op, value }: WhereDraft): unknown => (op === 'eq' ? scalarOf(value) : { [op]: askedOf(value, op, true) });

export const isWhereComplete = (filters: readonly WhereDraft[]) =>
  filters.every(({ property, value }) => property.trim() !== '' && value.trim() !== '');
