/** The zone of the account, known once the user is signed in; all times are shown and read in it. */
let current = 'UTC';

export const accountZone = () => current;

export function showTimesIn(timezone: string) {
  current = timezone;
}

/** A format of times in the account's zone. */
export function zoned(options: Intl.DateTimeFormatOptions, locale = 'en') {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (at: string | number | Date, timeZone = current): string => {
    let format = formats.get(timeZone);
    if (!format) {
      format = new Intl.DateTimeFormat(locale, { ...options, timeZone });
      formats.set(timeZone, format);
    }
    return format.format(new Date(at));
  };
}

const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
// The Swedish format is that of ISO 8601.
const isoDay = zoned(digits, 'sv');
const isoTime = zoned({ ...digits, ...clock }, 'sv');

/** The day of a time, as `YYYY-MM-DD`. */
export const dayOf = (at: string | number | Date, timeZone = current) => isoDay(at, timeZone);

/** The date and time that the clock shows, as a field of type `datetime-local` has it; empty for no time. */
export const clockTime = (at: string, timeZone = current) =>
  Number.isNaN(Date.parse(at)) ? '' : isoTime(at, timeZone).replace(' ', 'T').slice(0, 16);

const dayMs = 86_400_000;

/** How far the clock is ahead of UTC. */
const offsetMs = (at: number, timeZone: string) =>
  Date.parse(`${isoTime(at, timeZone).replace(' ', 'T')}Z`) - Math.floor(at / 1_000) * 1_000;

/**
 * The time at which the clock shows this date and time, in ISO 8601; empty for no time. Of a time that the clock shows twice in autumn, the first; a time that it skips in spring moves forward by the skipped amount.
 */
export function timeAt(clockTime: string, timeZone = current): string {
  const shown = Date.parse(`${clockTime}Z`);
  if (Number.isNaN(shown)) return '';
  const possible = [shown - dayMs, shown + dayMs].map((near) => shown - offsetMs(near, timeZone));
  const exact = possible.filter((at) => at + offsetMs(at, timeZone) === shown);
  return new Date(exact.length > 0 ? Math.min(...exact) : Math.max(...possible)).toISOString();
}

/** When a day begins: usually at midnight. */
export const startOfDay = (day: string, timeZone = current) => timeAt(`${day}T00:00`, timeZone);

/** The day some days after another one. */
export const addDays = (day: string, days: number) => new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

const monthAndDay = zoned({ month: 'short', day: 'numeric' });

/** "Mar 29": a day as `YYYY-MM-DD`, which has no zone, or the day of a time. */
export const dayLabel = (day: string) => monthAndDay(day, day.length === 10 ? 'UTC' : current);
