import { IANAZone } from 'luxon';
import { z } from 'zod';
import { dayMs } from './duration.ts';

/** From `start` (inclusive) to `end` (exclusive), in milliseconds since 1970. */
export type Span = { start: number; end: number };

export const Timezone = z
  .string()
  .max(60)
  // Intl also accepts offsets such as +02:00, which have no daylight saving time.
  .refine((zone) => /^[a-z]/i.test(zone) && IANAZone.isValidZone(zone), 'timezone must be an IANA name such as Europe/Berlin.')
  .meta({ description: 'Time zone in which days begin and end, as an IANA name; UTC by default.', examples: ['Europe/Berlin'] });

/** The time zone of a contact, or the fallback if it has none that is valid. */
export const zoneOf = (timezone: string | null | undefined, fallback: string): string =>
  timezone && Timezone.safeParse(timezone).success ? timezone : fallback;

/** A time of day such as `21:30`, in milliseconds since midnight. */
export function msOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

const iso = /^([1-9]\d{3})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * The time span of an ISO 8601 text in a zone: a date is its whole day there, a date and time is one millisecond. A time without
 * offset is read in the zone. Undefined for other texts and for days that do not exist.
 */
export function spanOf(text: string, zone: string): Span | undefined {
  const [, year, month, day, hour, minute, second, fraction, offset] = iso.exec(text) ?? [];
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Date.UTC parses 30 February as 2 March.
  if (new Date(midnight).getUTCMonth() + 1 !== Number(month) || new Date(midnight).getUTCDate() !== Number(day)) return undefined;
  if (hour === undefined) return { start: firstInstantOf(midnight, zone), end: firstInstantOf(midnight + dayMs, zone) };

  const clock = [Number(hour), Number(minute), Number(second ?? 0)] as const;
  if (clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return undefined;
  const milliseconds = Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
  const wall = midnight + (clock[0] * 3600 + clock[1] * 60 + clock[2]) * 1000 + milliseconds;
  const start = offset === undefined ? firstInstantOf(wall, zone) : wall - offsetMs(offset);
  return { start, end: start + 1 };
}

// The years that ISO 8601 text can express. Dates beyond them are mistakes, and calendar functions fail for them.
const earliest = Date.UTC(1000, 0, 1);
export const latest = Date.UTC(10_000, 0, 1);

/** The instant of a contact's value; a date without a time is the start of its day. Undefined when it is not a date. */
export function instantOf(value: unknown, zone: string): number | undefined {
  if (value instanceof Date) return value.getTime() >= earliest && value.getTime() < latest ? value.getTime() : undefined;
  return typeof value === 'string' ? spanOf(value, zone)?.start : undefined;
}

/** The calendar day of an instant in a zone, as that day's midnight in UTC. */
export function dayIn(zone: string, instant: number): number {
  return Math.floor(wallClock(instant, zone) / dayMs) * dayMs;
}

/**
 * The first instant at which clocks in the zone show `wall` (a wall-clock time as if it were UTC) or later. For a time that occurs
 * twice, the first of the two; for a skipped time, the instant at which clocks jump over it.
 */
export function firstInstantOf(wall: number, zone: string): number {
  if (zone === 'UTC') return wall;
  const before = wall - zoneOffset(wall - dayMs, zone);
  const after = wall - zoneOffset(wall + dayMs, zone);
  if (before === after) return before;
  const [early, late] = before < after ? [before, after] : [after, before];
  if (wallClock(early, zone) === wall) return early;
  if (wallClock(late, zone) === wall) return late;

  let [earlier, later] = [early - 1, late];
  while (later - earlier > 1) {
    const middle = Math.floor((earlier + later) / 2);
    if (wallClock(middle, zone) >= wall) later = middle;
    else earlier = middle;
  }
  return later;
}

/** What clocks in the zone show at this instant, as if it were UTC. */
export const wallClock = (instant: number, zone: string): number => instant + zoneOffset(instant, zone);

const zoneOffset = (instant: number, zone: string): number => (zone === 'UTC' ? 0 : IANAZone.create(zone).offset(instant) * 60_000);

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const [hours, minutes] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000;
}
