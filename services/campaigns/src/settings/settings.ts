import { ConsentTopic, domainKey, Email } from '@mp/contracts/contact';
import { namedSegment } from '@mp/contracts/ids';
import { Timezone } from '@mp/contracts/moment';
import { Line, Name } from '@mp/contracts/text';
import { settingsRevision } from '@mp/service-kit/settings-revision';
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

export const DomainThrottle = z.strictObject({
  side: z.enum(['sending', 'receiving']).describe('`sending`: the domain of the sender (`from`); `receiving`: the domain of the address.'),
  domain: z.string().max(253).describe('The domain, such as `example.com`; its subdomains are not included.'),
  per_minute: z.number().int().min(1).max(1_000_000).describe('The maximum number of emails per minute.'),
});
export type DomainThrottle = z.infer<typeof DomainThrottle>;

export const DefaultSender = z.strictObject({
  email: Email.describe('The address of the sender.'),
  name: z.string().nullable().describe('The name of the sender.'),
  reply_to: z.string().nullable().describe('The address for replies; the address of the sender if null.'),
});

const address = z.string().trim().normalize('NFC').pipe(Email);
const requestedSender = z.strictObject({
  email: address.describe(DefaultSender.shape.email.description ?? ''),
  name: Line(200)
    .nullable()
    .default(null)
    .describe(DefaultSender.shape.name.description ?? ''),
  reply_to: address
    .nullable()
    .default(null)
    .describe(DefaultSender.shape.reply_to.description ?? ''),
});

/** Domains in their DNS form. */
const requestedThrottle = DomainThrottle.extend({
  domain: DomainThrottle.shape.domain.transform((value, context) => {
    const key = domainKey(value);
    if (!key.includes('.'))
      context.addIssue({ code: 'custom', message: 'expected a domain such as example.com', params: { code: 'invalid_format' } });
    return key;
  }),
});

/** What needs the approval of a second person. */
export const approvalModes = ['off', 'always', 'above', 'outside_segments'] as const;

const maxTopics = 50;
const maxThrottles = 100;

/** An account's settings for all its emails. */
export const CampaignSettings = z.strictObject({
  sending_paused: z
    .boolean()
    .describe(
      'Stops all sending: emails of campaigns and workflows, and `marketing` messages, wait until this is false again. `transactional` messages of the API and test emails are sent.',
    ),
  default_sender: DefaultSender.nullable().describe(
    'The sender that the dashboard enters into new campaigns and email steps of workflows. Requests name their sender themselves.',
  ),
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
    'How many emails of campaigns and workflows a contact gets; further ones are skipped with the reason `frequency_cap`; a `send` step of a workflow can wait instead (`when_capped`).',
  ),
  domain_throttles: z
    .array(DomainThrottle)
    .max(maxThrottles)
    .describe(
      'How fast emails of campaigns and workflows are sent from a domain or to a domain, across all campaigns. Further emails wait. Messages of the API are not throttled.',
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
  approval: z
    .enum(approvalModes)
    .describe(
      'Which campaigns a second person must approve before they are sent or scheduled: none (`off`, the default), all (`always`), those with more than `approval_above` recipients (`above`), or those whose audience includes anything but `approval_segments` (`outside_segments`). Only owners and admins who are signed in can change it. It applies to requests made from then on: campaigns that are scheduled stay scheduled, and those that await approval still do.',
    ),
  approval_above: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .describe('With `approval` `above`: up to how many recipients a campaign needs no approval. Required then.'),
  approval_segments: z
    .array(namedSegment)
    .max(100)
    .describe(
      'With `approval` `outside_segments`: the segments to which campaigns are sent without approval. At least one is required then. Users who may change such a segment decide which contacts are in it.',
    ),
});
export type CampaignSettings = z.infer<typeof CampaignSettings>;

export const CampaignSettingsView = CampaignSettings.extend({ revision: settingsRevision }).meta({ id: 'CampaignSettings' });

export const UpdateSettingsBody = CampaignSettingsView.extend({
  default_sender: requestedSender.nullable().describe(CampaignSettings.shape.default_sender.description ?? ''),
  domain_throttles: z
    .array(requestedThrottle)
    .max(maxThrottles)
    .refine((all) => new Set(all.map(({ side, domain }) => `${side} ${domain}`)).size === all.length, 'expected each domain once')
    .describe(CampaignSettings.shape.domain_throttles.description ?? ''),
}).partial();

export const defaultSettings: CampaignSettings = {
  sending_paused: false,
  default_sender: null,
  delivered_after_hours: 24,
  quiet_hours: null,
  frequency_cap: null,
  domain_throttles: [],
  topics: [],
  approval: 'off',
  approval_above: null,
  approval_segments: [],
};
