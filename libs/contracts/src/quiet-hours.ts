import { z } from 'zod';
import { Timezone } from './moment.ts';
import { renamedFrom } from './renamed-from.ts';

/** A time of day on a 24-hour clock. */
export const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day such as 09:00')
  .meta({ description: 'A time of day on a 24-hour clock.', examples: ['09:00'] });

/** When no emails are sent, by the clock of each contact. */
export const QuietHours = z
  .strictObject({
    from: renamedFrom('start', TimeOfDay.describe('The time of day at which they begin.')),
    to: renamedFrom('end', TimeOfDay.describe('The time of day at which they end.')),
    timezone: Timezone.default('UTC').describe('The time zone of contacts that have none, as an IANA name.'),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'expected a time other than `from`' })
  .meta({
    id: 'WorkflowQuietHours',
    description:
      "Emails that would be sent between `from` and `to` in the contact's time zone wait until `to`. A `from` after `to` spans midnight.",
  });
export type QuietHours = z.output<typeof QuietHours>;
