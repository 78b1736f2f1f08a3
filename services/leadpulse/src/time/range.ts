import { invalid } from '@mp/contracts/errors';
import { PlannedDayOrMoment, Timezone } from '@mp/contracts/moment';
import { firstInstantOf } from '@mp/rules/calendar';
import { DateTime } from 'luxon';
import { z } from 'zod';
import { dayMs, floorTo, quarterMs } from './quarters.ts';
import { maxRetentionDays } from './retention-days.ts';

export const Interval = z.enum(['hour', 'day', 'week', 'month']);
export type Interval = z.infer<typeof Interval>;

/** The query parameters of the time range. */
export const rangeQuery = {
  from: PlannedDayOrMoment.optional().describe('The first day, or a start time; 29 days ago by default. Rounded down to 15 minutes.'),
  to: PlannedDayOrMoment.optional().describe(
    'The last day (inclusive), or an end time (exclusive); now by default. Rounded up to 15 minutes.',
  ),
  timezone: Timezone.default('UTC').describe('The IANA time zone in which days, weeks and months start.'),
  interval: Interval.default('day').describe('The length of the intervals in `series`.'),
};

type RangeQuery = { from?: string | undefined; to?: string | undefined; timezone: string; interval: Interval };

export type Bucket = { start: Date; end: Date };
export type AnalyticsRange = { from: Date; to: Date; buckets: Bucket[] };

/** As long as events can be stored. */
export const maxDays = maxRetentionDays;
const maxBuckets = 1_000;

/** Resolves the range and splits it into hours, days, weeks (from Monday) or months of the time zone. Throws VALIDATION_ERROR; `at` is where the range is in the request. */
export function rangeOf({ from, to, timezone, interval }: RangeQuery, now = new Date(), at = '/query'): AnalyticsRange {
  const zone = { zone: timezone };
  const today = DateTime.fromJSDate(now, zone);
  const firstDay = from === undefined ? today.minus({ days: 29 }) : DateTime.fromISO(from, zone);
  const start = from === undefined || isDate(from) ? dayBegin(firstDay) : firstDay.toJSDate();
  const lastDay = to === undefined ? today : DateTime.fromISO(to, zone);
  const end = to !== undefined && isDate(to) ? dayBegin(lastDay.plus({ days: 1 })) : lastDay.toJSDate();
  const first = floorTo(start, quarterMs);
  const last = new Date(Math.ceil(end.getTime() / quarterMs) * quarterMs);
  if (first >= last) throw invalid(`${at}/to`, 'empty_range', 'to must be after from.');
  if (last.getTime() - first.getTime() > (maxDays + 1) * dayMs)
    throw invalid(`${at}/from`, 'range_too_long', `The range must be at most ${maxDays} days.`);
  return { from: first, to: last, buckets: bucketsOf({ from: first, to: last }, timezone, interval, at) };
}

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

/** The first instant of a calendar day in its zone, rounded down to 15 minutes. If midnight occurs twice, the first one. */
function dayBegin({ year, month, day, zoneName }: DateTime): Date {
  return floorTo(new Date(firstInstantOf(Date.UTC(year, month - 1, day), zoneName ?? 'UTC')), quarterMs);
}

function bucketsOf({ from, to }: { from: Date; to: Date }, timezone: string, interval: Interval, at: string): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = from; start < to; ) {
    // The local boundary that `start` is rounded down from lies within its quarter of an hour.
    const next = DateTime.fromMillis(start.getTime() + quarterMs - 1, { zone: timezone }).plus({ [interval]: 1 });
    const begin = next.startOf(interval);
    const cut = interval === 'hour' ? floorTo(begin.toJSDate(), quarterMs) : dayBegin(begin);
    // If clocks go back by half an hour, the next local hour starts before `start`.
    const end = cut > start ? cut : floorTo(next.toJSDate(), quarterMs);
    buckets.push({ start, end: end < to ? end : to });
    if (buckets.length > maxBuckets)
      throw invalid(`${at}/interval`, 'too_many_intervals', `The range has more than ${maxBuckets} ${interval}s; use a longer interval.`);
    start = end;
  }
  return buckets;
}

/** The index of the bucket for every quarter of an hour in the range. */
export function bucketNumbers({ buckets }: AnalyticsRange): number[] {
  return buckets.flatMap(({ start, end }, number) => Array<number>((end.getTime() - start.getTime()) / quarterMs).fill(number));
}
