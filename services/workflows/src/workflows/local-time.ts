import type { Contact } from '@mp/contracts/contact';
import { TimeOfDay } from '@mp/contracts/quiet-hours';
import { dayIn, firstInstantOf, instantOf, msOfDay, Timezone } from '@mp/rules/calendar';
import { dayMs, durationMs } from '@mp/rules/duration';
import { z } from 'zod';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const Weekday = z.enum(weekdays);

/** The zone of contacts without a time zone. */
export const FallbackZone = Timezone.default('UTC').describe('The time zone of contacts that have none, as an IANA name.');

export const LocalTime = z.strictObject({
  time: TimeOfDay,
  weekdays: z.array(Weekday).min(1).max(7).optional().describe('Only on these days. Default: every day.'),
  timezone: FallbackZone,
});
export type LocalTime = z.output<typeof LocalTime>;

const maxOffsetDays = 400;

/** A duration that may be negative, in milliseconds. */
export const offsetMs = (offset: string): number | undefined => {
  const ms = durationMs(offset.replace(/^[+-]/, ''));
  return ms === undefined ? undefined : offset.startsWith('-') ? -ms : ms;
};

export const Offset = z
  .string()
  .max(50)
  .refine((text) => offsetMs(text) !== undefined, 'expected an ISO 8601 duration of weeks, days, hours and minutes, such as -P3D')
  .refine((text) => Math.abs(offsetMs(text) ?? 0) <= maxOffsetDays * dayMs, `expected at most ${maxOffsetDays} days`)
  .meta({
    description: `An ISO 8601 duration of at most P${maxOffsetDays}D; with a leading minus, before the date.`,
    examples: ['-P3D', 'P1D'],
  });

export const DateField = z
  .string()
  .regex(
    /^(attributes\.\S.{0,199}|created_at|updated_at|last_seen_at)$/,
    'expected attributes.<key>, created_at, updated_at or last_seen_at',
  )
  .describe('A date field of the contact: `attributes.<key>`, `created_at`, `updated_at` or `last_seen_at`.');

/** A later day must exist whatever the weekdays are, even when the first candidate is today and has passed. */
const maxDaysAhead = 8;

/** The first instant after `now` at which clocks in the zone show this time on one of these days. */
export function nextLocalTime(now: Date, { time, weekdays: wanted }: Omit<LocalTime, 'timezone'>, zone: string): Date {
  const today = dayIn(zone, now.getTime());
  for (let ahead = 0; ahead <= maxDaysAhead; ahead += 1) {
    const day = today + ahead * dayMs;
    const name = weekdays[(new Date(day).getUTCDay() + 6) % 7];
    if (wanted && !wanted.some((one) => one === name)) continue;
    const instant = firstInstantOf(day + msOfDay(time), zone);
    if (instant > now.getTime()) return new Date(instant);
  }
  throw new Error(`No local time ${time} follows ${now.toISOString()} in ${zone}.`);
}

type Dated = { offset?: string | undefined; time?: string | undefined };

/** The instant that a date of a contact means: moved by the offset, at the time of day in the zone. Undefined when it is not a date. */
export function dateInstant(value: unknown, { offset, time }: Dated, zone: string): Date | undefined {
  const instant = instantOf(value, zone);
  if (instant === undefined) return undefined;
  const moved = instant + ((offset && offsetMs(offset)) || 0);
  const at = time === undefined ? moved : firstInstantOf(dayIn(zone, moved) + msOfDay(time), zone);
  return new Date(at);
}

const attributePrefix = 'attributes.';

/** The value of a field named as `DateField` describes. */
export function fieldOf(contact: Contact, field: string): unknown {
  const isAttribute = field.startsWith(attributePrefix);
  const members = new Map<string, unknown>(Object.entries(isAttribute ? contact.attributes : contact));
  return members.get(isAttribute ? field.slice(attributePrefix.length) : field);
}
