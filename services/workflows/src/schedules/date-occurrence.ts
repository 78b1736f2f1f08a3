import type { Contact } from '@mp/contracts/contact';
import { zoneOf } from '@mp/rules/calendar';
import { dayMs } from '@mp/rules/duration';
import { dateInstant, fieldOf, offsetMs } from '../workflows/local-time.ts';
import type { Trigger } from '../workflows/trigger.ts';

type DateTrigger = Trigger & { type: 'date' };

const isoDay = /^(\d{4})-(\d\d)-(\d\d)/;

/** When a `date` trigger occurs for the contact between `from` (inclusive) and `until` (exclusive); undefined if it does not. */
export function dateOccurrence(trigger: DateTrigger, contact: Contact, from: Date, until: Date): Date | undefined {
  const value = fieldOf(contact, trigger.field);
  const zone = zoneOf(contact.timezone, trigger.timezone);
  const values = trigger.yearly ? anniversaries(value, from.getTime() - ((trigger.offset && offsetMs(trigger.offset)) || 0)) : [value];
  return values
    .map((one) => dateInstant(one, trigger, zone))
    .find((instant) => instant !== undefined && instant >= from && instant < until);
}

/** More than the offset of any time zone and a day change make. */
const closeMs = 2 * dayMs;

/** The same day in other years, if it is close to `near`. */
function anniversaries(value: unknown, near: number): string[] {
  const [, , month, day] = isoDay.exec(typeof value === 'string' ? value : '') ?? [];
  if (month === undefined || day === undefined) return [];
  const year = new Date(near).getUTCFullYear();
  return [year - 1, year, year + 1].flatMap((one) => {
    const isLeapDay = month === '02' && day === '29' && new Date(Date.UTC(one, 1, 29)).getUTCMonth() !== 1;
    const date = `${one}-${month}-${isLeapDay ? '28' : day}`;
    return Math.abs(Date.parse(date) - near) <= closeMs ? [date] : [];
  });
}
