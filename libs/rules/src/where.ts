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
  .meta({ title: 'Operators', minProperties: 1 });

/** Conditions by the name of a value, for names of this form. */
export const conditionsOf = (name: z.ZodString) =>
  z
    .record(name.max(250), z.union([operands.eq, Condition], 'The value must be a plain value, or an object of ops such as {"gte": 10}.'))
    .refine((where) => Object.keys(where).length <= maxProperties, `where can have at most ${maxProperties} properties.`);

/** The names of an event's context, and of the properties that contain it. */
const contextProperties: Readonly<Record<string, string>> = {
  'context.page.url': 'page.url',
  'context.page.path': 'page.path',
  'context.page.title': 'page.title',
  'context.page.referrer': 'page.referrer',
  'context.campaign.source': 'utm.source',
  'context.campaign.medium': 'utm.medium',
  'context.campaign.name': 'utm.campaign',
  'context.campaign.term': 'utm.term',
  'context.campaign.content': 'utm.content',
  'context.country': 'context.country',
  'context.device': 'device.type',
};

const isName = (name: string) => /^(properties\..+|value\.(amount|currency))$/s.test(name) || Object.hasOwn(contextProperties, name);

const Name = z
  .string()
  .refine(
    isName,
    'Write a property of the event as properties.<name>; its value is value.amount and value.currency; its context is ' +
      `${Object.keys(contextProperties).join(', ')}.`,
  );

/** Conditions on an event: for each name a plain value, or ops that must all hold. */
export const EventWhere = conditionsOf(Name).meta({
  description:
    'Conditions on each counted event, which must all hold: `properties.<name>`, `value.amount`, `value.currency`, ' +
    `${Object.keys(contextProperties)
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
  maxProperties: maxProperties,
  examples: [{ 'properties.plan': 'pro', 'value.amount': { gte: 10 } }],
});
export type EventWhere = z.infer<typeof EventWhere>;

type ValuedEvent = Pick<Activity, 'properties' | 'value'>;

/** Whether an event meets a checked `where`. */
export function eventWhereHolds(where: EventWhere): (event: ValuedEvent) => boolean {
  const conditions = Object.entries(where).map(([name, condition]) => ({ name, holds: predicateOfAll(condition) }));
  return (event) => conditions.every(({ name, holds }) => holds(memberOf(event, name)));
}

/** Whether values that `read` finds by name meet checked conditions. */
export const conditionsHold = (conditions: z.infer<ReturnType<typeof conditionsOf>>, read: (name: string) => unknown): boolean =>
  Object.entries(conditions).every(([name, condition]) => predicateOfAll(condition)(read(name)));

function memberOf({ properties, value }: ValuedEvent, name: string) {
  if (name === 'value.amount') return value?.amount;
  if (name === 'value.currency') return value?.currency;
  const property = name.startsWith(propertyPrefix) ? name.slice(propertyPrefix.length) : (contextProperties[name] ?? name);
  return Object.hasOwn(properties, property) ? properties[property] : undefined;
}

function predicateOfAll(condition: z.infer<typeof Condition> | string | number | boolean): Predicate {
  if (typeof condition !== 'object') return predicateOf({ op: 'eq', value: condition });
  const { exists, ...ops } = condition;
  const predicates = Object.entries(ops).map(([op, value]) => predicateOf(Comparison.parse({ op, value })));
  if (exists !== undefined) predicates.push(predicateOf({ op: exists ? 'exists' : 'missing' }));
  return (seen) => predicates.every((holds) => holds(seen));
}
