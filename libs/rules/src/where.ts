import { z } from 'zod';
import type { Activity } from './activity.ts';
import { Comparison, operands, type Predicate, predicateOf } from './comparison.ts';

const propertyPrefix = 'properties.';
const maxProperties = 10;

const Condition = z
  .strictObject({
    eq: operands.eq.optional(),
    ne: operands.ne.optional(),
    in: operands.in.optional(),
    not_in: operands.not_in.optional(),
    contains: operands.contains.optional(),
    not_contains: operands.not_contains.optional(),
    starts_with: operands.starts_with.optional(),
    ends_with: operands.ends_with.optional(),
    gt: operands.gt.optional(),
    gte: operands.gte.optional(),
    lt: operands.lt.optional(),
    lte: operands.lte.optional(),
    between: operands.between.optional(),
    exists: z.boolean().optional(),
  })
  .refine((condition) => Object.keys(condition).length > 0, 'Use at least one op, such as {"gte": 10}.')
  .meta({ minProperties: 1 });

/** Conditions by the name of a value, for names of this form. */
export const conditionsOf = (name: z.ZodString) =>
  z
    .record(name.max(250), z.union([operands.eq, Condition], 'The value must be a plain value, or an object of ops such as {"gte": 10}.'))
    .refine((where) => Object.keys(where).length <= maxProperties, `where can have at most ${maxProperties} properties.`);

/** Conditions on the properties of an event, by `properties.<name>`: a plain value, or ops that must all hold. */
export const Where = conditionsOf(z.string().regex(/^properties\../, 'Write a property of the event as properties.<name>.')).meta({
  description: 'Conditions on the properties of each counted event, by `properties.<name>`; all must hold.',
  maxProperties: maxProperties,
  examples: [{ 'properties.total': { gte: 10 } }],
});
export type Where = z.infer<typeof Where>;

/** As `Where`, with conditions on the value of the event, for use where the whole event is available. */
export const EventWhere = conditionsOf(
  z
    .string()
    .regex(
      /^(properties\..+|value\.(amount|currency))$/,
      'Write a property of the event as properties.<name>; its value is value.amount and value.currency.',
    ),
).meta({ maxProperties: maxProperties, examples: [{ 'properties.plan': 'pro', 'value.amount': { gte: 10 } }] });

type Properties = Activity['properties'];
type ValuedEvent = { properties: Properties; value: { amount: number; currency: string } | null };

/** Whether the properties of an event meet a checked `where`. */
export function whereHolds(where: Where): (properties: Properties) => boolean {
  const holds = eventWhereHolds(where);
  return (properties) => holds({ properties, value: null });
}

/** Whether an event meets a checked `EventWhere`. */
export function eventWhereHolds(where: z.infer<typeof EventWhere>): (event: ValuedEvent) => boolean {
  const conditions = Object.entries(where).map(([name, condition]) => ({ name, holds: predicateOfAll(condition) }));
  return (event) => conditions.every(({ name, holds }) => holds(memberOf(event, name)));
}

/** Whether values that `read` finds by name meet checked conditions. */
export const conditionsHold = (conditions: z.infer<ReturnType<typeof conditionsOf>>, read: (name: string) => unknown): boolean =>
  Object.entries(conditions).every(([name, condition]) => predicateOfAll(condition)(read(name)));

function memberOf({ properties, value }: ValuedEvent, name: string) {
  if (name === 'value.amount') return value?.amount;
  if (name === 'value.currency') return value?.currency;
  const property = name.slice(propertyPrefix.length);
  return Object.hasOwn(properties, property) ? properties[property] : undefined;
}

function predicateOfAll(condition: z.infer<typeof Condition> | string | number | boolean): Predicate {
  if (typeof condition !== 'object') return predicateOf({ op: 'eq', value: condition });
  const { exists, ...ops } = condition;
  const predicates = Object.entries(ops).map(([op, value]) => predicateOf(Comparison.parse({ op, value })));
  if (exists !== undefined) predicates.push(predicateOf({ op: exists ? 'exists' : 'missing' }));
  return (seen) => predicates.every((holds) => holds(seen));
}
