import { z } from 'zod';
import type { Activity } from './activity.ts';
import { EventTime, type EventTimeTest, eventTimeTest } from './date-leaf.ts';
import { type Evaluation, type Instant, never, no, yes } from './subject.ts';

const bounds = {
  gt: z.number().optional(),
  gte: z.number().optional(),
  lt: z.number().optional(),
  lte: z.number().optional(),
  eq: z.number().optional(),
};

const amount = 'value.amount';
const propertyPrefix = 'properties.';

const NumberTest = z
  .strictObject({
    of: z
      .string()
      .max(250)
      .regex(/^(value\.amount|properties\..+)$/, 'of must be value.amount or properties.<name>.')
      .describe('What to aggregate: `value.amount`, or a numeric property. Events without it are ignored.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'currency must be an ISO 4217 code such as EUR.')
      .optional()
      .describe('The currency of `value.amount`. Values in other currencies are ignored; they are never added together.'),
    ...bounds,
  })
  .superRefine((test, context) => {
    const wrong = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (test.of === amount && test.currency === undefined)
      wrong(
        ['currency'],
        'value.amount needs a currency, such as "EUR", because amounts in different currencies are never added together.',
      );
    if (test.of !== amount && test.currency !== undefined) wrong(['currency'], 'currency applies to value.amount only.');
    if (Object.keys(bounds).every((bound) => !Object.hasOwn(test, bound)))
      wrong(
        [],
        `Compare the result with ${Object.keys(bounds).join(', ')}, such as {"of": "value.amount", "currency": "EUR", "gte": 500}.`,
      );
  });
type NumberTest = z.infer<typeof NumberTest>;

/** What a condition can test about the counted events instead of their number; at most one of them. */
export const aggregates = {
  sum: NumberTest.optional().describe('Tests the sum. It is 0 without events.'),
  avg: NumberTest.optional().describe('Tests the average. Without events, nothing matches.'),
  min: NumberTest.optional().describe('Tests the lowest value. Without events, nothing matches.'),
  max: NumberTest.optional().describe('Tests the highest value. Without events, nothing matches.'),
  first: EventTime.optional().describe('Tests the time of the oldest event. Without events, only `not_in_last` matches.'),
  last: EventTime.optional().describe('Tests the time of the newest event. Without events, only `not_in_last` matches.'),
};

type Aggregates = { [name in keyof typeof aggregates]?: z.infer<(typeof aggregates)[name]> };

export const aggregateNames = Object.keys(aggregates);

/** Tests the newest activities: `evaluation` is the result while the first `count` of those that it counts are in the window. */
export type Aggregate = {
  counts: (activity: Activity) => boolean;
  over: (counted: readonly Activity[]) => { evaluation: (count: number, now: Instant) => Evaluation; value: number | Date | null };
};

/** The aggregate that a condition tests; undefined if it tests the number of activities. */
export function aggregateOf({ sum, avg, min, max, first, last }: Aggregates): Aggregate | undefined {
  if (sum) return numeric(sum, ({ total }) => total);
  if (avg) return numeric(avg, ({ count, total }) => (count === 0 ? undefined : total / count));
  if (min) return numeric(min, ({ count, lowest }) => (count === 0 ? undefined : lowest));
  if (max) return numeric(max, ({ count, highest }) => (count === 0 ? undefined : highest));
  if (first) return timed(first, (counted, count) => counted[count - 1]);
  return last && timed(last, (counted, count) => (count === 0 ? undefined : counted[0]));
}

type State = { count: number; total: number; lowest: number; highest: number };

function numeric(test: NumberTest, read: (state: State) => number | undefined): Aggregate {
  const numberOf = numberReader(test);
  const meets = (value: number | undefined) => value !== undefined && isWithin(test, value);
  return {
    counts: (activity) => numberOf(activity) !== undefined,
    over: (counted) => {
      const values = statesOf(counted.map((activity) => numberOf(activity) ?? 0)).map(read);
      return { evaluation: (count) => (meets(values[count]) ? yes : no), value: values.at(-1) ?? null };
    },
  };
}

function timed(test: EventTime, chosen: (counted: readonly Activity[], count: number) => Activity | undefined): Aggregate {
  const holds: EventTimeTest = eventTimeTest(test);
  return {
    counts: () => true,
    over: (counted) => ({
      evaluation: (count, now) => holds(chosen(counted, count)?.time.getTime(), now),
      value: chosen(counted, counted.length)?.time ?? null,
    }),
  };
}

function numberReader({ of, currency }: NumberTest): (activity: Activity) => number | undefined {
  if (of === amount) return ({ value }) => (value && value.currency === currency ? value.amount : undefined);
  const name = of.slice(propertyPrefix.length);
  return ({ properties }) => {
    const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return typeof value === 'number' ? value : undefined;
  };
}

const isWithin = ({ gt, gte, lt, lte, eq }: NumberTest, value: number) =>
  (gt === undefined || value > gt) &&
  (gte === undefined || value >= gte) &&
  (lt === undefined || value < lt) &&
  (lte === undefined || value <= lte) &&
  (eq === undefined || value === eq);

const unitsPerWhole = 10_000;
const maxExact = 1e11;

/**
 * The aggregates of the first 0, 1, 2 … numbers. Numbers with at most four decimals, as amounts have, are added in
 * ten-thousandths, so that 0.1 + 0.2 is 0.3 and the order does not matter.
 */
function statesOf(numbers: readonly number[]): State[] {
  let [sum, units, inUnits] = [0, 0, true];
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const states: State[] = [{ count: 0, total: 0, lowest, highest }];
  for (const [index, number] of numbers.entries()) {
    sum += number;
    units += Math.round(number * unitsPerWhole);
    inUnits &&= Math.abs(number) <= maxExact && Number(number.toFixed(4)) === number;
    lowest = Math.min(lowest, number);
    highest = Math.max(highest, number);
    states.push({ count: index + 1, total: inUnits ? units / unitsPerWhole : Number(sum.toPrecision(12)), lowest, highest });
  }
  return states;
}

/**
 * The evaluation on activities that leave their window one after the other, oldest first, and when it changes. `leaves` returns
 * when an activity leaves; `evaluation` is the one on the `count` newest.
 */
export function evaluationWhileLeaving(
  counted: readonly Activity[],
  leaves: (activity: Activity | undefined) => Instant,
  evaluation: (count: number, now: Instant) => Evaluation,
  now: Instant,
): Evaluation {
  const { matches, until } = evaluation(counted.length, now);
  let unchangedUntil = until;
  for (let count = counted.length; count > 0; ) {
    const at = leaves(counted[count - 1]);
    if (at === never || unchangedUntil < at) break;
    while (count > 0 && leaves(counted[count - 1]) <= at) count -= 1;
    const next = evaluation(count, at);
    if (next.matches !== matches) return { matches, until: at };
    unchangedUntil = next.until;
  }
  return { matches, until: unchangedUntil };
}
