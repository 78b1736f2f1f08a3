import { z } from 'zod';
import { ErasureReceipt } from '../erasure.ts';
import { defineEvent } from '../event.ts';

/** One message to one contact: of a campaign, or of a workflow's step. */
const message = z.object({
  recipient_id: z.string().describe('the ledger row'),
  contact_id: z.string(),
  campaign_id: z.string().nullable().describe('null for a message of a workflow'),
  workflow_id: z.string().nullable(),
  effect_key: z.string().optional().describe("the effect of the workflow's run that asked for it"),
  at: z.iso.datetime(),
});

const ofContact = ({ contact_id }: z.output<typeof message>) => [contact_id];

export const MessageSent = defineEvent('campaigns.message.sent', 1, 'The mail server accepted a message.', message);

export const MessageDelivered = defineEvent(
  'campaigns.message.delivered',
  1,
  'A message is proven to have arrived: it was opened, or a link in it was followed. Published once, after campaigns.message.sent.',
  message,
);

export const MessageComplained = defineEvent('campaigns.message.complained', 1, 'The receiver of a message reported it as spam.', message);

export const MessageOpened = defineEvent(
  'campaigns.message.opened',
  1,
  'The tracking image of a message was fetched.',
  message.extend({ machine: z.boolean().describe('true when a scanner or prefetcher did it') }),
);

export const MessageClicked = defineEvent(
  'campaigns.message.clicked',
  1,
  'A link of a message was followed.',
  message.extend({ url: z.string(), machine: z.boolean() }),
  ofContact,
);

export const MessageReclassified = defineEvent(
  'campaigns.message.reclassified',
  1,
  'An open or a click that was published as a human one turned out to be a machine, or the other way round.',
  message.extend({
    event_id: z.string().describe('the id of the campaigns.message.opened or campaigns.message.clicked event that this corrects'),
    activity: z.enum(['opened', 'clicked']),
    machine: z.boolean().describe('what is true from now on'),
  }),
);

export const MessageBounced = defineEvent(
  'campaigns.message.bounced',
  1,
  'The mail server refused a message for good.',
  message.extend({
    hard: z.boolean().describe('true when the address itself is not deliverable'),
    reason: z.string().max(1_000),
    address_hash: z
      .string()
      .max(100)
      .optional()
      .describe('`suppressionHash` of the address it was sent to; the contact may have another one by now'),
  }),
  ofContact,
);

export const MessageUnsubscribed = defineEvent(
  'campaigns.message.unsubscribed',
  1,
  'The receiver of a message unsubscribed from e-mail; contacts changes the consent.',
  message.extend({ channel: z.enum(['email']), evidence: z.string().max(200) }),
);

export const CampaignEffectCompleted = defineEvent(
  'campaigns.effect.completed',
  1,
  'A workflow asked for a message: it was sent, or will not be, and why.',
  z.object({
    effect_key: z.string(),
    run_id: z.string(),
    status: z.enum(['done', 'refused']),
    reason: z.string().nullable(),
    detail: z.string().nullable().optional().describe('with the reason `template_error`: what is wrong with the message'),
    recipient_id: z.string().nullable(),
  }),
);

export const CampaignsContactErased = defineEvent(
  'campaigns.contact.erased',
  1,
  'Answer to contacts.contact.erased: nothing personal of the contact is left in campaigns.',
  ErasureReceipt,
);

export const AudienceChanged = defineEvent(
  'campaigns.audience.changed',
  1,
  'Which segments a campaign that is not sent yet uses. None once its audience is taken, or it will not be sent.',
  z.object({
    campaign_id: z.string(),
    name: z.string(),
    revision: z.number().int().describe('of the campaign; a deletion is one more'),
    segment_ids: z.array(z.string()).max(200),
  }),
);
