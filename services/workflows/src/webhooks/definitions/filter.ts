import type { WebhookPayload } from '@mp/contracts/webhooks/webhook-event';
import { type Comparison, comparisons, predicateOf } from '@mp/rules/comparison';
import { z } from 'zod';

const maxConditions = 20;
const maxDepth = 4;

const field = z
  .string()
  .max(250)
  .regex(
    /^(type|cause|changed|data(\.[^.]+)+)$/,
    'Use type, cause, changed, or a field of the data such as data.email or data.attributes.plan.',
  )
  .meta({ description: 'A field of the payload.', examples: ['data.attributes.plan', 'cause'] });

const Condition = z.discriminatedUnion(
  'op',
  [
    z.strictObject({ field, ...comparisons.equality.shape }).meta({ title: 'Field equals' }),
    z.strictObject({ field, ...comparisons.membership.shape }).meta({ title: 'Field in a list' }),
    z.strictObject({ field, ...comparisons.text.shape }).meta({ title: 'Field contains text' }),
    z.strictObject({ field, ...comparisons.order.shape }).meta({ title: 'Field greater or less' }),
    z.strictObject({ field, ...comparisons.range.shape }).meta({ title: 'Field in a range' }),
    z.strictObject({ field, ...comparisons.presence.shape }).meta({ title: 'Field present' }),
  ],
  { error: 'Use a condition such as {"field": "data.status", "op": "eq", "value": "active"}, or a group: all, any or not.' },
);

export type Filter = { all: Filter[] } | { any: Filter[] } | { not: Filter } | ({ field: string } & Comparison);

const Node: z.ZodType<Filter, Filter> = z
  .union([
    z.strictObject({
      get all() {
        return z.array(Node).min(1).max(maxConditions);
      },
    }),
    z.strictObject({
      get any() {
        return z.array(Node).min(1).max(maxConditions);
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
    id: 'WebhookFilter',
    description:
      'Selects events by their payload, with the ops of segment rules: a condition, or a group (all, any, not) of conditions and groups. ' +
      `At most ${maxConditions} conditions, nested at most ${maxDepth} levels deep.`,
    examples: [
      {
        all: [
          { field: 'data.attributes.plan', op: 'eq', value: 'pro' },
          { field: 'cause', op: 'ne', value: 'import' },
        ],
      },
    ],
  });

export const Filter = Node.refine((filter) => depthOf(filter) <= maxDepth, `Use at most ${maxDepth} levels of groups.`).refine(
  (filter) => countConditions(filter) <= maxConditions,
  `Use at most ${maxConditions} conditions.`,
);

const partsOf = (filter: Filter): Filter[] =>
  'all' in filter ? filter.all : 'any' in filter ? filter.any : 'not' in filter ? [filter.not] : [];

const countConditions = (filter: Filter): number =>
  'field' in filter ? 1 : partsOf(filter).reduce((count, part) => count + countConditions(part), 0);

const depthOf = (filter: Filter): number => ('field' in filter ? 0 : 1 + Math.max(...partsOf(filter).map(depthOf)));

/** Whether the payload passes a checked filter. */
export function passes(filter: Filter, payload: WebhookPayload): boolean {
  if ('all' in filter) return filter.all.every((part) => passes(part, payload));
  if ('any' in filter) return filter.any.some((part) => passes(part, payload));
  if ('not' in filter) return !passes(filter.not, payload);
  return predicateOf(filter)(valueAt(payload, filter.field));
}

/** The value at a path; an attribute may have dots in its key, so the longest name that exists is taken first. */
function valueAt(within: unknown, path: string): unknown {
  if (typeof within !== 'object' || within === null) return undefined;
  const own: Record<string, unknown> = { ...within };
  const names = path.split('.');
  for (let length = names.length; length > 0; length -= 1) {
    const name = names.slice(0, length).join('.');
    if (Object.hasOwn(own, name)) return length === names.length ? own[name] : valueAt(own[name], names.slice(length).join('.'));
  }
  return undefined;
}
