import { z } from 'zod';
import { instantOf, type Span, spanOf } from './calendar.ts';
import { fold } from './text.ts';

const maxListed = 500;
const maxTextLength = 1_000;

const Text = z.string().min(1, 'The value must not be empty; to match missing values, use the op missing.').max(maxTextLength);
const Scalar = z
  .union([Text, z.number(), z.boolean()], 'The value must be text, a number, true or false.')
  .meta({ id: 'ComparisonValue', description: 'Text, a number, true or false.' });
const List = z.array(Scalar).min(1).max(maxListed);
/** Ordered comparisons take numbers and dates only. */
const Ordered = z.union(
  [
    z.number(),
    z
      .string()
      .refine((text) => spanOf(text, 'UTC') !== undefined, 'The value must be a number or an ISO 8601 date such as 2026-05-01.')
      .describe('An ISO 8601 date or date and time.'),
  ],
  'The value must be a number or an ISO 8601 date.',
);
const Bounds = z
  .tuple([Ordered, Ordered], 'The value must be a lower and an upper bound: two numbers or two ISO 8601 dates.')
  .refine(([low, high]) => typeof low === typeof high, 'The bounds must be two numbers or two dates.')
  .refine(([low, high]) => lowest(low) <= lowest(high), 'The lower bound must come first.');

/** The operand of each op; `exists` and `missing` have none. */
export const operands = {
  eq: Scalar,
  ne: Scalar,
  in: List,
  not_in: List,
  contains: Text,
  not_contains: Text,
  starts_with: Text,
  ends_with: Text,
  gt: Ordered,
  gte: Ordered,
  lt: Ordered,
  lte: Ordered,
  between: Bounds,
};

/** The ops with their operands, one schema per kind of operand. */
export const comparisons = {
  equality: z.strictObject({ op: z.enum(['eq', 'ne']), value: Scalar }),
  membership: z.strictObject({ op: z.enum(['in', 'not_in']), value: List }),
  text: z.strictObject({ op: z.enum(['contains', 'not_contains', 'starts_with', 'ends_with']), value: Text }),
  order: z.strictObject({ op: z.enum(['gt', 'gte', 'lt', 'lte']), value: Ordered }),
  range: z.strictObject({ op: z.literal('between'), value: Bounds }),
  presence: z.strictObject({ op: z.enum(['exists', 'missing']) }),
};
export const Comparison = z.union(Object.values(comparisons));

export type Comparison = z.infer<typeof Comparison>;
type Scalar = z.infer<typeof Scalar>;
type Ordered = z.infer<typeof Ordered>;

/** Whether a value meets a condition. */
export type Predicate = (seen: unknown) => boolean;

/** How values are compared: dates without a time in this zone, text after this folding. */
export type Reading = { zone: string; fold: (text: string) => string };

const usual: Reading = { zone: 'UTC', fold };

/**
 * The predicate of a comparison. Every op is false for a missing value or a value of another type, except `ne`, `not_in`,
 * `not_contains` and `missing`, which are the exact opposite of their positive op.
 */
export function predicateOf(comparison: Comparison, reading: Partial<Reading> = {}): Predicate {
  const read: Reading = { ...usual, ...reading };
  switch (comparison.op) {
    case 'exists':
      return isPresent;
    case 'missing':
      return opposite(isPresent);
    case 'eq':
      return equalTo(comparison.value, read);
    case 'ne':
      return opposite(equalTo(comparison.value, read));
    case 'in':
      return oneOf(comparison.value, read);
    case 'not_in':
      return opposite(oneOf(comparison.value, read));
    case 'contains':
      return containing(comparison.value, read);
    case 'not_contains':
      return opposite(containing(comparison.value, read));
    case 'starts_with':
      return ofText(comparison.value, read, (seen, part) => seen.startsWith(part));
    case 'ends_with':
      return ofText(comparison.value, read, (seen, part) => seen.endsWith(part));
    case 'gt':
      return ordered(comparison.value, read, (order) => order > 0);
    case 'gte':
      return ordered(comparison.value, read, (order) => order >= 0);
    case 'lt':
      return ordered(comparison.value, read, (order) => order < 0);
    case 'lte':
      return ordered(comparison.value, read, (order) => order <= 0);
    case 'between': {
      const [low, high] = comparison.value;
      const fromLow = predicateOf({ op: 'gte', value: low }, read);
      const toHigh = predicateOf({ op: 'lte', value: high }, read);
      return (seen) => fromLow(seen) && toHigh(seen);
    }
  }
}

const opposite =
  (predicate: Predicate): Predicate =>
  (seen) =>
    !predicate(seen);

/** null, undefined, empty text and an empty list are missing. */
const isPresent: Predicate = (seen) => seen !== undefined && seen !== null && seen !== '' && !(Array.isArray(seen) && seen.length === 0);

/** If both sides are dates, they are compared as instants, however they are written. */
function equalTo(value: Scalar, { zone, fold }: Reading): Predicate {
  if (typeof value !== 'string') return (seen) => seen === value;
  const wanted = fold(value);
  const span = spanOf(value, zone);
  return (seen) => (typeof seen === 'string' && fold(seen) === wanted) || (span !== undefined && isWithin(span, seen, zone));
}

function oneOf(values: readonly Scalar[], { zone, fold }: Reading): Predicate {
  const folded = foldedBy(fold);
  const wanted = new Set<unknown>(values.map(folded));
  const spans = values.flatMap((value) => (typeof value === 'string' ? (spanOf(value, zone) ?? []) : []));
  return (seen) => {
    if (Array.isArray(seen)) return seen.some((item) => wanted.has(folded(item)));
    return wanted.has(folded(seen)) || spans.some((span) => isWithin(span, seen, zone));
  };
}

/** Matches a part of a text, or a whole item of a list. */
function containing(value: string, { fold }: Reading): Predicate {
  const part = fold(value);
  const folded = foldedBy(fold);
  return (seen) => {
    if (typeof seen === 'string') return fold(seen).includes(part);
    return Array.isArray(seen) && seen.some((item) => folded(item) === part);
  };
}

function ofText(value: string, { fold }: Reading, holds: (seen: string, part: string) => boolean): Predicate {
  const part = fold(value);
  return (seen) => typeof seen === 'string' && holds(fold(seen), part);
}

/** `holds` gets whether the seen number or date is below (-1), equal to (0) or above (1) the value. */
function ordered(value: Ordered, { zone }: Reading, holds: (order: number) => boolean): Predicate {
  if (typeof value === 'number') return (seen) => typeof seen === 'number' && holds(Math.sign(seen - value));
  const span = spanOf(value, zone);
  return (seen) => {
    const instant = instantOf(seen, zone);
    return span !== undefined && instant !== undefined && holds(placeIn(span, instant));
  };
}

function isWithin(span: Span, seen: unknown, zone: string): boolean {
  const instant = instantOf(seen, zone);
  return instant !== undefined && placeIn(span, instant) === 0;
}

const placeIn = ({ start, end }: Span, instant: number): number => (instant < start ? -1 : instant >= end ? 1 : 0);

const foldedBy =
  (fold: Reading['fold']) =>
  (value: unknown): unknown =>
    typeof value === 'string' ? fold(value) : value;

const lowest = (bound: Ordered): number => (typeof bound === 'number' ? bound : (spanOf(bound, 'UTC')?.start ?? Number.NaN));
