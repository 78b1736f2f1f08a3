import { comparisons, predicateOf } from '@mp/rules/comparison';
import { z } from 'zod';
import { QueryDimension, rawValue, type SessionEvent } from './query-dimension.ts';

const maxConditions = 30;
const maxLevels = 5;
const maxItems = 30;

const condition = { dimension: QueryDimension.describe('The dimension that is compared.') };

const Condition = z.discriminatedUnion('op', [
  z.strictObject({ ...condition, ...comparisons.equality.shape }).meta({ title: 'Dimension equals' }),
  z.strictObject({ ...condition, ...comparisons.membership.shape }).meta({ title: 'Dimension in a list' }),
  z.strictObject({ ...condition, ...comparisons.text.shape }).meta({ title: 'Dimension contains text' }),
  z.strictObject({ ...condition, ...comparisons.order.shape }).meta({ title: 'Dimension greater or less' }),
  z.strictObject({ ...condition, ...comparisons.range.shape }).meta({ title: 'Dimension in a range' }),
  z.strictObject({ ...condition, ...comparisons.presence.shape }).meta({ title: 'Dimension present' }),
]);

export type Filter = { all: Filter[] } | { any: Filter[] } | { not: Filter } | z.infer<typeof Condition>;

const Node: z.ZodType<Filter, Filter> = z
  .union([
    z.strictObject({
      get all() {
        return z.array(Node).min(1).max(maxItems);
      },
    }),
    z.strictObject({
      get any() {
        return z.array(Node).min(1).max(maxItems);
      },
    }),
    z.strictObject({
      get not() {
        return Node;
      },
    }),
    Condition,
  ])
  .meta({
    id: 'QueryFilter',
    description:
      'Selects events: a condition on a dimension, or a group (all, any, not) of conditions and groups. Text is compared regardless of case. ' +
      `At most ${maxConditions} conditions, nested at most ${maxLevels} levels deep.`,
    examples: [
      { all: [{ dimension: 'country', op: 'in', value: ['DE', 'AT'] }, { not: { dimension: 'page', op: 'starts_with', value: '/jobs' } }] },
    ],
  });

export const QueryFilter = Node.refine((filter) => dimensionsOf(filter).length <= maxConditions && levelsOf(filter) <= maxLevels, {
  message: `expected at most ${maxConditions} conditions, nested at most ${maxLevels} levels deep`,
  params: { code: 'too_big' },
});

const partsOf = (filter: Filter): Filter[] =>
  'all' in filter ? filter.all : 'any' in filter ? filter.any : 'not' in filter ? [filter.not] : [];

/** The dimension of each condition. */
export const dimensionsOf = (filter: Filter): string[] =>
  'dimension' in filter ? [filter.dimension] : partsOf(filter).flatMap(dimensionsOf);

const levelsOf = (filter: Filter): number => 1 + Math.max(0, ...partsOf(filter).map(levelsOf));

/** Whether a filter selects an event. */
export function filterHolds(filter: Filter): (sessionEvent: SessionEvent) => boolean {
  if ('all' in filter) {
    const parts = filter.all.map(filterHolds);
    return (sessionEvent) => parts.every((holds) => holds(sessionEvent));
  }
  if ('any' in filter) {
    const parts = filter.any.map(filterHolds);
    return (sessionEvent) => parts.some((holds) => holds(sessionEvent));
  }
  if ('not' in filter) {
    const holds = filterHolds(filter.not);
    return (sessionEvent) => !holds(sessionEvent);
  }
  const { dimension, ...comparison } = filter;
  const [read, holds] = [rawValue(dimension), predicateOf(comparison)];
  return (sessionEvent) => holds(read(sessionEvent));
}
