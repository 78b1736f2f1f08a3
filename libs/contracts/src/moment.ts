import { z } from 'zod';

/** A time from `first` to `last`, in UTC or with an offset. The bounds apply to the instant, not to the text. */
function momentWithin(first: string, last: string) {
  const [earliest, latest] = [Date.parse(first), Date.parse(last)];
  return z.iso.datetime({ offset: true }).refine((text) => Date.parse(text) >= earliest && Date.parse(text) <= latest, {
    message: `expected a time from ${first} to ${last}`,
    params: { code: 'out_of_range' },
  });
}

/** A time to compare with: any that has a four-digit year in UTC, so that every stored one can be parsed again. */
export const Moment = momentWithin('1000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z');

/** Tolerated clock difference. */
const clockSkewMs = 5 * 60_000;

/** A time at which something has happened, in UTC. */
export const PastMoment = Moment.refine(
  (at) => Date.parse(at) <= Date.now() + clockSkewMs,
  'expected a time that is not in the future',
).transform((at) => new Date(at).toISOString());

/** A time that durations are added to; the bounds leave room for them. */
export const PlannedMoment = momentWithin('1970-01-01T00:00:00Z', '2199-12-31T23:59:59.999Z');

const dayWithin = (first: string, last: string) =>
  z.iso.date().refine((text) => text >= first && text <= last, {
    message: `expected a day from ${first} to ${last}`,
    params: { code: 'out_of_range' },
  });

/** A day to compare with. */
export const Day = dayWithin('1000-01-01', '9999-12-31');

/** A day that durations are added to. */
export const PlannedDay = dayWithin('1970-01-01', '2199-12-31');

/** A day, or a time in UTC or with an offset, that durations are added to. */
export const PlannedDayOrMoment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'expected a date such as 2026-11-01 or a time such as 2026-11-01T08:00:00Z')
  .refine((text) => PlannedDay.safeParse(text).success || PlannedMoment.safeParse(text).success, {
    message: 'expected a date or a time from 1970-01-01 to 2199-12-31',
    params: { code: 'out_of_range' },
  });

/** An IANA time zone. Intl also accepts offsets such as +01:00, which have no daylight saving time. */
export const Timezone = z
  .string()
  .max(64)
  .refine(isTimezone, { message: 'expected an IANA time zone such as Europe/Berlin', params: { code: 'unknown_timezone' } });

function isTimezone(timeZone: string): boolean {
  if (!/^[a-z]/i.test(timeZone)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
