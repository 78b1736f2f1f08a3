import { accountZone, addDays, dayOf, startOfDay } from '../time/zone.ts';

export type Interval = 'hour' | 'day' | 'week';

const hourMs = 3_600_000;

/** Whether an interval has not ended yet, so that its counts still grow. `start` is a time, or a day as `YYYY-MM-DD`. */
export function isUnfinished(start: string, interval: Interval, timeZone = accountZone(), now = Date.now()): boolean {
  if (interval === 'hour') return Date.parse(start) + hourMs > now;
  const day = start.length === 10 ? start : dayOf(start, timeZone);
  return Date.parse(startOfDay(addDays(day, interval === 'week' ? 7 : 1), timeZone)) > now;
}
