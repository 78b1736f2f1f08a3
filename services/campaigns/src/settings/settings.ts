import { ConsentTopic } from '@mp/contracts/contact';
import { Timezone } from '@mp/contracts/moment';
import { Name } from '@mp/contracts/text';
import { z } from 'zod';

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time of day such as 21:30');

export const QuietHours = z
  .strictObject({
    from: clock.describe('The time of day at which they begin, such as `21:00`.'),
    to: clock.describe('The time of day at which they end; on the next day if it is not after `from`.'),
    timezone: Timezone.describe('The time zone of contacts that have none.'),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'expected a time other than from' });
export type QuietHours = z.infer<typeof QuietHours>;

export const FrequencyCap = z.strictObject({
  max_emails: z.number().int().min(1).max(1_000).describe('The maximum number of marketing emails per contact.'),
  days: z.number().int().min(1).max(90).describe('In this many days.'),
});
export type FrequencyCap = z.infer<typeof FrequencyCap>;

const maxTopics = 50;

/** An account's settings for all its emails. */
export const CampaignSettings = z
  .strictObject({
    delivered_after_hours: z
      .number()
      .int()
      .min(1)
      .max(720)
      .nullable()
      .describe('After how many hours without a bounce a sent email counts as delivered; 24 by default. If null, only proof counts.'),
    quiet_hours: QuietHours.nullable().describe(
      'When no marketing email is sent, in the time zone of each contact. Emails that are due then are sent when they end.',
    ),
    frequency_cap: FrequencyCap.nullable().describe(
      'How many emails of campaigns and workflows a contact gets; further ones are skipped with the reason `frequency_cap`.',
    ),
    topics: z
      .array(
        z.strictObject({
          id: ConsentTopic.describe('The ID of the topic, as in the consent of contacts.'),
          name: Name(100).describe('Its name on the preference page.'),
        }),
      )
      .max(maxTopics)
      .refine((topics) => new Set(topics.map(({ id }) => id)).size === topics.length, 'expected each topic once')
      .describe('The topics that recipients choose from on the preference page.'),
  })
  .meta({ id: 'CampaignSettings' });
export type CampaignSettings = z.infer<typeof CampaignSettings>;

export const defaultSettings: CampaignSettings = { delivered_after_hours: 24, quiet_hours: null, frequency_cap: null, topics: [] };
