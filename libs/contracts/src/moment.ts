import { z } from 'zod';

/** A moment from `first` to `last`, with an offset or in UTC. Bounds hold for the moment, not for the text: an offset moves it. */
function momentWithin(first: string, last: string) {
  const [earliest, latest] = [Date.parse(first), Date.parse(last)];
  return z.iso.datetime({ offset: true }).refine((text) => Date.parse(text) >= earliest && Date.parse(text) <= latest, {
    message: `expected a time from ${first} to ${last}`,
    params: { code: 'out_of_range' },
  });
}

/** A moment that something is compared with: any that UTC writes with four digits of year, so that every stored one can be read again. */
export const Moment = momentWithin('1000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z');

/** A moment that durations or calendars are counted from; room is left for what they add. */
export const PlannedMoment = momentWithin('1970-01-01T00:00:00Z', '2199-12-31T23:59:59.999Z');

const dayWithin = (first: string, last: string) =>
  z.iso.date().refine((text) => text >= first && text <= last, {
    message: `expected a day from ${first} to ${last}`,
    params: { code: 'out_of_range' },
  });

/** A day that something is compared with. */
export const Day = dayWithin('1000-01-01', '9999-12-31');

/** A day that durations or calendars are counted from. */
export const PlannedDay = dayWithin('1970-01-01', '2199-12-31');

/** An IANA time zone. Intl also takes offsets such as +01:00, which know no summer and begin their days at any minute. */
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
