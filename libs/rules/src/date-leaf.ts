import { didYouMean } from '@mp/contracts/nearest';
import { z } from 'zod';
import { dayIn, firstInstantOf, instantOf, spanOf, Timezone } from './calendar.ts';
import { fieldReader } from './contact-profile.ts';
import { dayMs, durationMs, Window, windowMs } from './duration.ts';
import { contactFields, fieldNamed, fieldOps } from './fields.ts';
import { nearOp } from './near-ops.ts';
import { type Evaluation, type Instant, type LeafEvaluator, never, no, yes } from './subject.ts';

const dateFields = Object.keys(contactFields).filter((name) => contactFields[name] === 'date');
export const dateOps = ['in_last', 'not_in_last', 'in_next', 'before', 'after', 'on', 'anniversary'] as const;
const maxDaysAhead = 180;

const DateField = z
  .string()
  .max(250)
  .refine((name) => ['date', 'any'].includes(fieldNamed(name)?.type ?? ''), {
    error: ({ input }) =>
      `date must be one of ${dateFields.join(', ')}, or attributes.<key>.${typeof input === 'string' ? didYouMean(input, dateFields) : ''}`,
  })
  .meta({ description: `The field: ${dateFields.join(', ')} or attributes.<key>.`, examples: ['created_at', 'attributes.birthday'] });

const isDay = (text: string) => !text.includes('T') && spanOf(text, 'UTC') !== undefined;
const Moment = z
  .string()
  .refine((text) => text === 'now' || spanOf(text, 'UTC') !== undefined, 'The value must be an ISO 8601 date, a date and time, or "now".')
  .meta({
    description: 'An ISO 8601 date (the whole day), a date and time, or `now`.',
    examples: ['2026-05-01', '2026-05-01T09:00:00Z', 'now'],
  });
const Day = z
  .string()
  .refine(isDay, 'The value must be a day such as 2026-05-01.')
  .meta({ description: 'A calendar day in the time zone.', examples: ['2026-05-01'] });
const DaysAhead = z
  .string()
  .regex(/^P\d{1,3}D$/, 'within must be a number of days, such as P7D.')
  .refine((days) => (durationMs(days) ?? 0) <= maxDaysAhead * dayMs, `within can be at most P${maxDaysAhead}D.`)
  .meta({ description: `Days before the anniversary from which the contact matches; at most P${maxDaysAhead}D.`, examples: ['P7D'] });

const fields = { date: DateField, timezone: Timezone.optional() };

export const DateLeaf = z.discriminatedUnion(
  'op',
  [
    z.strictObject({ ...fields, op: z.enum(['in_last', 'not_in_last', 'in_next']), value: Window }).meta({ title: 'Date in a window' }),
    z.strictObject({ ...fields, op: z.enum(['before', 'after']), value: Moment }).meta({ title: 'Date before or after' }),
    z.strictObject({ ...fields, op: z.literal('on'), value: Day }).meta({ title: 'Date on a day' }),
    z.strictObject({ ...fields, op: z.literal('anniversary'), within: DaysAhead.optional() }).meta({ title: 'Anniversary of the date' }),
  ],
  { error: ({ input }) => unknownDateOp(input, dateOps) },
);
export type DateLeaf = z.infer<typeof DateLeaf>;

const eventTimeOps = dateOps.filter((op) => op !== 'in_next');

function unknownDateOp(input: unknown, ops: readonly string[]): string {
  const given = new Map<string, unknown>(typeof input === 'object' && input !== null ? Object.entries(input) : []);
  const [date, op] = [given.get('date'), given.get('op')];
  const isOfFields = date !== undefined && fieldOps.some((one) => one === op);
  const hint = isOfFields ? ` For "${op}", use {"field": ${JSON.stringify(date)}, "op": "${op}", …}.` : nearOp(op, ops);
  return `op must be one of ${ops.join(', ')}.${hint}`;
}

/** A test of the time of an event. */
export const EventTime = z.discriminatedUnion(
  'op',
  [
    z
      .strictObject({ timezone: fields.timezone, op: z.enum(['in_last', 'not_in_last']), value: Window })
      .meta({ title: 'Time in a window' }),
    z.strictObject({ timezone: fields.timezone, op: z.enum(['before', 'after']), value: Moment }).meta({ title: 'Time before or after' }),
    z.strictObject({ timezone: fields.timezone, op: z.literal('on'), value: Day }).meta({ title: 'Time on a day' }),
    z
      .strictObject({ timezone: fields.timezone, op: z.literal('anniversary'), within: DaysAhead.optional() })
      .meta({ title: 'Anniversary of the time' }),
  ],
  { error: ({ input }) => unknownDateOp(input, eventTimeOps) },
);
export type EventTime = z.infer<typeof EventTime>;

type DateTest = EventTime | DateLeaf;

/** Whether time alone can change the result of the condition. */
export function dateLeafDependsOnTime(leaf: DateTest): boolean {
  if (leaf.op === 'before' || leaf.op === 'after') return leaf.value === 'now';
  return leaf.op !== 'on';
}

export function dateEvaluator(leaf: DateLeaf): LeafEvaluator {
  const zone = leaf.timezone ?? 'UTC';
  const read = fieldReader(fieldNamed(leaf.date) ?? { name: leaf.date, type: 'any' });
  const evaluateDate = evaluationOf(leaf, zone);
  const missing = leaf.op === 'not_in_last' ? yes : no;
  return {
    evaluate: ({ contact }, now) => {
      const instant = instantOf(read(contact), zone);
      return instant === undefined ? missing : evaluateDate(instant, now);
    },
    see: ({ contact }) => read(contact),
  };
}

/** `instant` is undefined when there is none. */
export type EventTimeTest = (instant: Instant | undefined, now: Instant) => Evaluation;

export function eventTimeTest(test: EventTime): EventTimeTest {
  const evaluateDate = evaluationOf(test, test.timezone ?? 'UTC');
  const missing = test.op === 'not_in_last' ? yes : no;
  return (instant, now) => (instant === undefined ? missing : evaluateDate(instant, now));
}

function evaluationOf(leaf: DateTest, zone: string): (instant: Instant, now: Instant) => Evaluation {
  switch (leaf.op) {
    case 'in_last': {
      const length = windowMs(leaf.value);
      return (instant, now) => inside(instant, instant + length, now);
    }
    case 'not_in_last': {
      const length = windowMs(leaf.value);
      return (instant, now) => opposite(inside(instant, instant + length, now));
    }
    case 'in_next': {
      const length = windowMs(leaf.value);
      return (instant, now) => inside(instant - length, instant, now);
    }
    case 'before': {
      if (leaf.value === 'now') return (instant, now) => inside(instant + 1, never, now);
      const start = spanOf(leaf.value, zone)?.start ?? Number.NaN;
      return (instant) => (instant < start ? yes : no);
    }
    case 'after': {
      if (leaf.value === 'now') return (instant, now) => opposite(inside(instant, never, now));
      const end = spanOf(leaf.value, zone)?.end ?? Number.NaN;
      return (instant) => (instant >= end ? yes : no);
    }
    case 'on': {
      const { start, end } = spanOf(leaf.value, zone) ?? { start: Number.NaN, end: Number.NaN };
      return (instant) => (instant >= start && instant < end ? yes : no);
    }
    case 'anniversary': {
      const ahead = leaf.within === undefined ? 0 : (durationMs(leaf.within) ?? 0);
      return (instant, now) => anniversary(dayIn(zone, instant), ahead, zone, now);
    }
  }
}

/** True from `start` until `end`. */
function inside(start: Instant, end: Instant, now: Instant): Evaluation {
  if (now < start) return { matches: false, until: start };
  return now < end ? { matches: true, until: end } : no;
}

const opposite = ({ matches, until }: Evaluation): Evaluation => ({ matches: !matches, until });

/** True on the anniversary and `ahead` milliseconds before it, in every year after that of the day. */
function anniversary(day: number, ahead: number, zone: string, now: Instant): Evaluation {
  const thisYear = yearOf(dayIn(zone, now));
  const first = Math.max(thisYear, yearOf(day) + 1);
  for (const year of [first, first + 1]) {
    const celebrated = inYear(day, year);
    const end = firstInstantOf(celebrated + dayMs, zone);
    if (now < end) return inside(firstInstantOf(celebrated - ahead, zone), end, now);
  }
  return no;
}

const yearOf = (day: number): number => new Date(day).getUTCFullYear();

/** The same day in another year; 29 February becomes the 28th in other years. */
function inYear(day: number, year: number): number {
  const date = new Date(day);
  const leapDay = date.getUTCMonth() === 1 && date.getUTCDate() === 29;
  const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCDate() === 29;
  return Date.UTC(year, date.getUTCMonth(), leapDay && !isLeap ? 28 : date.getUTCDate());
}
