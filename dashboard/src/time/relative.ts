const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

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

/** An ISO 8601 time in words, relative to `now` (epoch milliseconds). */
export function relative(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1_000;
  const unit = units.find(([, , from]) => Math.abs(seconds) >= from);
  if (!unit) return seconds > 0 ? 'in a moment' : 'just now';
  const [name, size] = unit;
  return words.format(Math.trunc(seconds / size), name);
}

const short = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A time as a short label, for naming imports and exports. */
export const moment = (at: string) => short.format(new Date(at));

export const absolute = (at: string) => exact.format(new Date(at));
