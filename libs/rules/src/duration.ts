import { z } from 'zod';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** Activities are stored this long, so a longer window could not be evaluated. */
export const maxWindowDays = 400;

const fixedLength = /^P(?=\d|T\d)(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/**
 * An ISO 8601 duration of weeks, days, hours, minutes and seconds in milliseconds; undefined for any other text. Years and months
 * have no fixed length: activities would not leave such a window in the order they entered it.
 */
export function durationMs(duration: string): number | undefined {
  const parts = fixedLength.exec(duration);
  if (!parts) return undefined;
  const [weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return (weeks ?? 0) * weekMs + (days ?? 0) * dayMs + (hours ?? 0) * hourMs + (minutes ?? 0) * minuteMs + (seconds ?? 0) * secondMs;
}

/** A checked duration in milliseconds. */
export function windowMs(duration: string): number {
  const ms = durationMs(duration);
  if (ms === undefined) throw new Error(`${duration} is not a duration of weeks, days, hours, minutes and seconds.`);
  return ms;
}

/** A window; `missing` is the error if there is none. */
export const windowOr = (missing: string | undefined) =>
  z
    .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
    .max(50)
    .regex(fixedLength, 'A window must be an ISO 8601 duration of weeks, days, hours, minutes or seconds, such as P30D or PT1H.')
    .refine((duration) => durationMs(duration) !== 0, 'A window must be longer than zero.')
    .refine((duration) => (durationMs(duration) ?? 0) <= maxWindowDays * dayMs, `A window can be at most ${maxWindowDays} days.`);

export const Window = windowOr(undefined).meta({
  description: `Length of the window as an ISO 8601 duration, at most P${maxWindowDays}D. P1D is 24 hours.`,
  examples: ['P30D', 'PT1H'],
});
