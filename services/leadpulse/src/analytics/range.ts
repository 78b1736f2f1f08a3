import { invalid } from '@mp/contracts/errors';
import { PlannedDay, PlannedMoment, Timezone } from '@mp/contracts/moment';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { floorTo, quarterMs } from '../rollups/rollup.ts';

export const Interval = z.enum(['hour', 'day', 'week', 'month']);
export type Interval = z.infer<typeof Interval>;

const moment = z.union([PlannedDay, PlannedMoment], 'expected a date such as 2026-11-01 or a time such as 2026-11-01T08:00:00Z');

/** The query parameters that say which time is meant. */
export const rangeQuery = {
  from: moment.optional().describe('First day, or moment; 30 days ago when left out. Rounded down to a quarter of an hour.'),
  to: moment.optional().describe('Last day, all of it, or the moment before which; now when left out. Rounded up to a quarter of an hour.'),
  timezone: Timezone.default('UTC'),
  interval: Interval.default('day'),
};

type Asked = { from?: string | undefined; to?: string | undefined; timezone: string; interval: Interval };

export type Bucket = { start: Date; end: Date };
export type AnalyticsRange = { from: Date; to: Date; buckets: Bucket[] };

const mostDays = 400;
const mostBuckets = 1_000;

/** The time that is meant, cut where the hours, days, weeks (from Monday) or months of the time zone begin. Throws VALIDATION_ERROR. */
export function rangeOf({ from, to, timezone, interval }: Asked, now = new Date()): AnalyticsRange {
  const zone = { zone: timezone };
  const today = DateTime.fromJSDate(now, zone);
  const start = from === undefined ? today.minus({ days: 29 }).startOf('day') : DateTime.fromISO(from, zone);
  const lastDay = to === undefined ? today : DateTime.fromISO(to, zone);
  const end = to !== undefined && isDate(to) ? lastDay.plus({ days: 1 }).startOf('day') : lastDay;
  const first = floorTo(start.toJSDate(), quarterMs);
  const last = new Date(Math.ceil(end.toMillis() / quarterMs) * quarterMs);
  if (first >= last) throw invalid('/query/to', 'empty_range', 'to must lie after from.');
  if (end.diff(start, 'days').days > mostDays + 1) throw invalid('/query/from', 'range_too_long', `A range has at most ${mostDays} days.`);
  return { from: first, to: last, buckets: bucketsOf(first, last, timezone, interval) };
}

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

function bucketsOf(from: Date, to: Date, timezone: string, interval: Interval): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = DateTime.fromJSDate(from, { zone: timezone }); start.toJSDate() < to; ) {
    const next = start.plus({ [interval]: 1 });
    const cut = next.startOf(interval);
    // Where clocks go back by half an hour, the beginning of that local hour lies behind.
    const end = cut > start ? cut : next;
    buckets.push({ start: start.toJSDate(), end: end.toJSDate() < to ? end.toJSDate() : to });
    if (buckets.length > mostBuckets)
      throw invalid('/query/interval', 'too_many_intervals', `This range has more than ${mostBuckets} ${interval}s; ask for longer ones.`);
    start = end;
  }
  return buckets;
}

/** For every quarter of an hour of the range, the number of its bucket. */
export function bucketNumbers({ buckets }: AnalyticsRange): number[] {
  return buckets.flatMap(({ start, end }, number) => Array<number>((end.getTime() - start.getTime()) / quarterMs).fill(number));
}
