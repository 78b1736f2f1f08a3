import { z } from 'zod';
import { Timezone } from './moment.ts';

/** A time of day on a 24-hour clock. */
export const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day such as 09:00')
  .meta({ description: 'A time of day on a 24-hour clock.', examples: ['09:00'] });

/** When no emails are sent, by the clock of each contact. */
export const QuietHours = z
  .strictObject({
    start: TimeOfDay,
    end: TimeOfDay,
    timezone: Timezone.default('UTC').describe('The time zone of contacts that have none, as an IANA name.'),
  })
  .refine(({ start, end }) => start !== end, { path: ['end'], message: 'expected a time other than `start`' })
  .meta({
    id: 'WorkflowQuietHours',
    description:
      "Emails that would be sent between `start` and `end` in the contact's time zone wait until `end`. A `start` after `end` spans midnight.",
  });
export type QuietHours = z.output<typeof QuietHours>;
