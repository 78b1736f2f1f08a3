import { dayOf, zoned } from './zone.ts';

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
/** Each unit with its size and the smallest distance it is used for, in seconds: "in 55 days" is more precise than "in 1 month". */
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, size: number, from: number])[] = [
  ['year', 365 * day, 730 * day],
  ['month', 30 * day, 60 * day],
  ['day', day, day],
  ['hour', hour, hour],
  ['minute', minute, minute],
];

/** An ISO 8601 time in words, relative to `now` (epoch milliseconds). What is to come is rounded: three days less a second are "in 3 days". */
export function relative(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1_000;
  const unit = units.find(([, , from]) => Math.abs(seconds) >= from);
  if (!unit) return seconds > 0 ? 'in a moment' : 'just now';
  const [name, size] = unit;
  return words.format(seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size), name);
}

const short = zoned({ dateStyle: 'medium', timeStyle: 'short' });
const exact = zoned({ dateStyle: 'medium', timeStyle: 'long' });

/** A time as a short label, for naming imports and exports, in the account's zone or another one. */
export const moment = (at: string, timeZone?: string) => short(at, timeZone);

/** An exact time with its zone. */
export const absolute = (at: string) => exact(at);

const hourAndMinute = zoned({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** "10:42" for a time of today, with its date otherwise. */
export const timeOfDay = (at: string, now: number) => (dayOf(at) === dayOf(now) ? hourAndMinute(at) : moment(at));
