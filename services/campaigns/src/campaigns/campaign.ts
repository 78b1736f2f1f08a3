import { Email } from '@mp/contracts/contact';
import { z } from 'zod';
import { campaignStatuses } from './campaign-states.ts';

export const From = z.object({ email: Email, name: z.string().nullable() });

export const Audience = z.object({
  include: z.array(z.string()).describe('`all`, or ids of segments'),
  exclude: z.array(z.string()).describe('ids of segments whose members get nothing'),
});
export type Audience = z.infer<typeof Audience>;

export const Track = z.object({ opens: z.boolean(), clicks: z.boolean() });

/** A message to many people, as the API shows it. */
export const Campaign = z
  .object({
    id: z.string(),
    name: z.string(),
    channel: z.enum(['email']),
    status: z.enum(campaignStatuses),
    status_reason: z.string().nullable().describe('why it failed'),
    subject: z.string().describe('Liquid'),
    preview_text: z.string().nullable().describe('Liquid; shown by mail clients beside the subject'),
    from: From,
    reply_to: z.string().nullable(),
    html: z.string().describe('Liquid; values are escaped'),
    text: z.string().nullable().describe('Liquid; made from the HTML when null'),
    audience: Audience,
    throttle_per_minute: z.number().int().nullable(),
    track: Track,
    schedule_at: z.iso.datetime().nullable(),
    audience_count: z.number().int().nullable().describe('people in the frozen audience: what the states of the ledger sum to'),
    frozen_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'the moment as of which the audience was taken; null until segments knows every contact and event confirmed before the send',
      ),
    started_at: z.iso.datetime().nullable(),
    completed_at: z.iso.datetime().nullable(),
    revision: z.number().int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Campaign' });
export type Campaign = z.infer<typeof Campaign>;

/** How lists show it: without its content. */
export const CampaignSummary = Campaign.omit({ html: true, text: true }).meta({ id: 'CampaignSummary' });
export type CampaignSummary = z.infer<typeof CampaignSummary>;
