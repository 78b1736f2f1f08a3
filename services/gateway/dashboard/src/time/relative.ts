const words = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' });

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * day],
  ['month', 30 * day],
  ['week', 7 * day],
  ['day', day],
  ['hour', hour],
  ['minute', minute],
];

/** The instant in words, as seen from `now` (epoch milliseconds). */
export function relative(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1_000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit) return seconds > 0 ? 'in a moment' : 'just now';
  const [name, size] = unit;
  return words.format(Math.trunc(seconds / size), name);
}

export const absolute = (at: string) => exact.format(new Date(at));
