import { Email } from '@mp/contracts/contact';
import { campaignId, templateId } from '@mp/contracts/ids';
import { z } from 'zod';
import { AbResult, AbTest } from '../ab-tests/ab-test.ts';
import { timezoneModes } from '../audience/local-time.ts';
import { Utm } from '../content/links/utm.ts';
import { campaignStatuses } from './campaign-states.ts';

export const From = z.object({
  email: Email.describe('The address of the sender.'),
  name: z.string().nullable().describe('The name of the sender.'),
});

export const Audience = z.object({
  include: z.array(z.string()).describe('`all`, or segment IDs.'),
  exclude: z.array(z.string()).describe('Segments whose members are not emailed.'),
});
export type Audience = z.infer<typeof Audience>;

export const Track = z.object({
  opens: z.boolean().describe('Whether opens are tracked.'),
  clicks: z.boolean().describe('Whether clicks are tracked.'),
});

/** What counts as a conversion. */
export const Conversion = z.object({
  event: z.string().nullable().describe('The name of the LeadPulse event; any event with a value if null.'),
  window_days: z
    .number()
    .int()
    .describe('The attribution window: for how many days after the last click an event is attributed to the email.'),
});
export type Conversion = z.infer<typeof Conversion>;

/** What a campaign takes from its template unless it sets its own; the body always comes from the template. */
export const templateFields = ['subject', 'preview_text'] as const;
export type TemplateField = (typeof templateFields)[number];

/** A campaign as the API returns it. */
export const Campaign = z
  .object({
    id: campaignId.describe('The ID of the campaign.'),
    name: z.string().describe('The name of the campaign; recipients do not see it.'),
    channel: z.enum(['email']).describe('The channel, always `email`.'),
    status: z
      .enum(campaignStatuses)
      .describe(
        'The state of the campaign. Campaigns that are `draft` or `failed` can be changed and sent. A change of one that is `awaiting_approval` makes it a `draft`.',
      ),
    status_reason: z.string().nullable().describe('Why the campaign failed.'),
    problem: z
      .string()
      .nullable()
      .describe(
        'While the campaign is `scheduled`: why it would fail if it started now, such as a segment that could not be built. Checked every minute; null if nothing is wrong.',
      ),
    subject: z.string().describe('A Liquid template.'),
    preview_text: z.string().nullable().describe('A Liquid template; mailboxes show it beside the subject.'),
    from: From.describe('The sender.'),
    reply_to: z.string().nullable().describe('The address for replies; the address of the sender if null.'),
    template_id: templateId.nullable().describe('The template that the content comes from, if any.'),
    template_version: z
      .number()
      .int()
      .nullable()
      .describe('The version of the template that is sent; null until the campaign is sent or scheduled.'),
    overrides: z
      .array(z.enum(templateFields))
      .describe(
        'The fields that the campaign sets itself instead of taking them from its template. The others have the value that the template has now, or had when the campaign was sent or scheduled. Empty without `template_id`.',
      ),
    html: z
      .string()
      .describe(
        'A Liquid template; values are HTML-escaped. Empty if the email has only `text`, and until the content is taken from the template.',
      ),
    mjml: z.string().nullable().describe('The MJML from which `html` is compiled.'),
    text: z.string().nullable().describe('A Liquid template; generated from the HTML if null.'),
    design: z.record(z.string(), z.unknown()).nullable().describe('The document of an editor.'),
    utm: Utm.nullable().describe('UTM parameters that are added to links.'),
    audience: Audience.describe('The segments the campaign is sent to.'),
    ab_test: AbTest.nullable().describe('The A/B test, if the campaign has one.'),
    ab_result: AbResult.nullable().describe('The progress of the A/B test; null until sending starts.'),
    holdout_percent: z
      .number()
      .int()
      .nullable()
      .describe('The share of the audience that is not emailed, so that the report can compare it with the rest; null for none.'),
    topic: z.string().nullable().describe('The topic of the campaign; contacts that unsubscribed from it are skipped.'),
    conversion: Conversion.nullable().describe('What counts as a conversion; any event with a value, within 7 days, if null.'),
    throttle_per_minute: z.number().int().nullable().describe('The maximum number of emails per minute; null for no limit.'),
    track: Track.describe('What is tracked.'),
    timezone_mode: z
      .enum(timezoneModes)
      .describe(
        '`fixed`: everyone gets the email at `schedule_at`. `recipient`: each contact gets it at the same local time, which `schedule_at` sets in `fallback_timezone`.',
      ),
    fallback_timezone: z
      .string()
      .nullable()
      .describe('The time zone in which `schedule_at` is read in `recipient` mode, and of contacts that have none.'),
    schedule_at: z.iso
      .datetime()
      .nullable()
      .describe('When sending is scheduled to start; in `recipient` mode, when contacts in `fallback_timezone` get the email.'),
    audience_count: z
      .number()
      .int()
      .nullable()
      .describe('Contacts in the frozen audience; the states of the ledger add up to this number.'),
    frozen_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'The time as of which the audience was taken; null until the segments include every contact and event confirmed before the send.',
      ),
    started_at: z.iso.datetime().nullable().describe('When sending started.'),
    completed_at: z.iso.datetime().nullable().describe('When the campaign was sent, cancelled or failed.'),
    revision: z.number().int().describe('Increases with every change; also the `ETag`.'),
    created_at: z.iso.datetime().describe('When the campaign was created.'),
    updated_at: z.iso.datetime().describe('When the campaign was last changed.'),
  })
  .meta({ id: 'Campaign' });
export type Campaign = z.infer<typeof Campaign>;

/** When the emails of a campaign that is being sent are due. */
export const Timing = z
  .object({
    waiting: z.number().int().describe('Recipients whose email is due later: at their local time, after quiet hours, or for a retry.'),
    next_at: z.iso.datetime().nullable().describe('When the next of them is due.'),
    last_at: z.iso.datetime().nullable().describe('When the last of them is due.'),
    reasons: z
      .array(
        z.object({
          reason: z
            .string()
            .nullable()
            .describe('The reason, as in the ledger; null until their time in the schedule, or until the mail server is available again.'),
          waiting: z.number().int().describe('Recipients that wait for this reason.'),
        }),
      )
      .describe('Why they wait, the most frequent reason first.'),
  })
  .meta({ id: 'CampaignTiming' });
export type Timing = z.infer<typeof Timing>;

/** A campaign in a list: without its content. */
export const CampaignSummary = Campaign.omit({ html: true, mjml: true, text: true, design: true, ab_test: true }).meta({
  id: 'CampaignSummary',
});
export type CampaignSummary = z.infer<typeof CampaignSummary>;
