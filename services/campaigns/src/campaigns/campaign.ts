import { Email } from '@mp/contracts/contact';
import { z } from 'zod';
import { campaignStatuses } from './campaign-states.ts';

export const From = z.object({ email: Email, name: z.string().nullable() });

export const Audience = z.object({
  include: z.array(z.string()).describe('`all`, or segment IDs.'),
  exclude: z.array(z.string()).describe('Segments whose members are not emailed.'),
});
export type Audience = z.infer<typeof Audience>;

export const Track = z.object({ opens: z.boolean(), clicks: z.boolean() });

/** A campaign as the API returns it. */
export const Campaign = z
  .object({
    id: z.string(),
    name: z.string(),
    channel: z.enum(['email']),
    status: z.enum(campaignStatuses),
    status_reason: z.string().nullable().describe('Why the campaign failed.'),
    subject: z.string().describe('A Liquid template.'),
    preview_text: z.string().nullable().describe('A Liquid template; mailboxes show it beside the subject.'),
    from: From,
    reply_to: z.string().nullable(),
    html: z.string().describe('A Liquid template; values are HTML-escaped.'),
    text: z.string().nullable().describe('A Liquid template; generated from the HTML if null.'),
    audience: Audience,
    throttle_per_minute: z.number().int().nullable(),
    track: Track,
    schedule_at: z.iso.datetime().nullable(),
    audience_count: z.number().int().nullable().describe('Contacts in the frozen audience; the states of the ledger add up to this number.'),
    frozen_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'The time as of which the audience was taken; null until the segments include every contact and event confirmed before the send.',
      ),
    started_at: z.iso.datetime().nullable(),
    completed_at: z.iso.datetime().nullable(),
    revision: z.number().int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Campaign' });
export type Campaign = z.infer<typeof Campaign>;

/** A campaign in a list: without its content. */
export const CampaignSummary = Campaign.omit({ html: true, text: true }).meta({ id: 'CampaignSummary' });
export type CampaignSummary = z.infer<typeof CampaignSummary>;
