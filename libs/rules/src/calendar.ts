import { IANAZone } from 'luxon';
import { z } from 'zod';
import { dayMs } from './duration.ts';

/** From `start` up to but not including `end`, in milliseconds since 1970. */
export type Span = { start: number; end: number };

export const Timezone = z
  .string()
  .max(60)
  // Intl also takes offsets such as +02:00, which know nothing of daylight saving.
  .refine((zone) => /^[a-z]/i.test(zone) && IANAZone.isValidZone(zone), 'A timezone is an IANA name such as Europe/Berlin.')
  .meta({ description: 'The zone in which days begin and end: an IANA name, UTC when left out.', examples: ['Europe/Berlin'] });

const iso = /^([1-9]\d{3})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * What an ISO 8601 text means in a zone: a date is its whole day there, a date and time is one millisecond.
 * A time without offset is read in the zone. Undefined when the text is neither, or names a day that does not exist.
 */
export function spanOf(text: string, zone: string): Span | undefined {
  const [, year, month, day, hour, minute, second, fraction, offset] = iso.exec(text) ?? [];
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Date.UTC reads 30 February as 2 March.
  if (new Date(midnight).getUTCMonth() + 1 !== Number(month) || new Date(midnight).getUTCDate() !== Number(day)) return undefined;
  if (hour === undefined) return { start: firstInstantOf(midnight, zone), end: firstInstantOf(midnight + dayMs, zone) };

  const clock = [Number(hour), Number(minute), Number(second ?? 0)] as const;
  if (clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return undefined;
  const milliseconds = Number((fraction ?? '').padEnd(3, '0').slice(0, 3));
  const wall = midnight + (clock[0] * 3600 + clock[1] * 60 + clock[2]) * 1000 + milliseconds;
  const start = offset === undefined ? firstInstantOf(wall, zone) : wall - offsetMs(offset);
  return { start, end: start + 1 };
}

// What ISO 8601 text can say; a Date beyond it is a mistake, and calendars give out there.
const earliest = Date.UTC(1000, 0, 1);
export const latest = Date.UTC(10_000, 0, 1);

/** The moment a contact's value stands for: a bare date is the midnight it begins with. Undefined when it is no date. */
export function instantOf(value: unknown, zone: string): number | undefined {
  if (value instanceof Date) return value.getTime() >= earliest && value.getTime() < latest ? value.getTime() : undefined;
  return typeof value === 'string' ? spanOf(value, zone)?.start : undefined;
}

/** The calendar day of a moment in a zone, written as that day's midnight in UTC. */
export function dayIn(zone: string, instant: number): number {
  return Math.floor(wallClock(instant, zone) / dayMs) * dayMs;
}

/**
 * The first moment at which clocks in the zone show `wall` (a wall-clock time written as if it were UTC) or later.
 * A time shown twice is the first of the two; a time that is skipped is the moment clocks jump over it.
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

const wallClock = (instant: number, zone: string): number => instant + zoneOffset(instant, zone);

const zoneOffset = (instant: number, zone: string): number => (zone === 'UTC' ? 0 : IANAZone.create(zone).offset(instant) * 60_000);

function offsetMs(offset: string): number {
  if (offset === 'Z') return 0;
  const [hours, minutes] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000;
}
