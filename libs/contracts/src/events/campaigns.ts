import { z } from 'zod';
import { AccountErasureReceipt } from '../account-erasure.ts';
import { approvalChanged, approvalSettingChanged } from '../approval.ts';
import { ConsentTopic } from '../contact.ts';
import { ErasureReceipt } from '../erasure.ts';
import { defineEvent } from '../event.ts';
import { campaignId, contactId, recipientId, runId, segmentId, workflowId } from '../ids.ts';

/** One message to one contact, sent by a campaign or by a workflow step. */
const message = z.object({
  recipient_id: recipientId.describe('The recipient in the ledger.'),
  contact_id: contactId,
  campaign_id: campaignId.nullable().describe('null for a message of a workflow.'),
  workflow_id: workflowId.nullable(),
  effect_key: z.string().optional().describe('The effect of the workflow run that requested the message.'),
  at: z.iso.datetime(),
});

const ofContact = ({ contact_id }: z.output<typeof message>) => [contact_id];

const complaint = message.extend({
  address_hash: z
    .string()
    .max(100)
    .optional()
    .describe('`suppressionHash` of the address it was sent to, if a provider or a report named the message.'),
});

export const MessageSent = defineEvent({
  type: 'campaigns.message.sent',
  version: 1,
  meaning: 'The mail server accepted a message.',
  data: message,
});

export const MessageDelivered = defineEvent({
  type: 'campaigns.message.delivered',
  version: 1,
  meaning: 'Delivery of a message was proven: it was opened, or a link in it was clicked. Published once, after campaigns.message.sent.',
  data: message,
});

export const MessageComplained = defineEvent({
  type: 'campaigns.message.complained',
  version: 1,
  meaning: 'A recipient marked a message as spam.',
  data: complaint,
});

export const MessageOpened = defineEvent({
  type: 'campaigns.message.opened',
  version: 1,
  meaning: 'The tracking image of a message was fetched.',
  data: message.extend({ machine: z.boolean().describe('Whether a scanner or prefetcher fetched it.') }),
});

export const MessageClicked = defineEvent({
  type: 'campaigns.message.clicked',
  version: 1,
  meaning: 'A link in a message was clicked.',
  data: message.extend({ url: z.string(), machine: z.boolean() }),
  subjectsOf: ofContact,
});

export const MessageConverted = defineEvent({
  type: 'campaigns.message.converted',
  version: 1,
  meaning: 'A tracked event, such as an order, was attributed to the message whose link the contact clicked last before it.',
  data: message.extend({
    event: z.string().describe('The name of the tracked event.'),
    value: z.object({ amount: z.number(), currency: z.string() }).nullable().describe('The value of the tracked event.'),
  }),
  subjectsOf: ofContact,
});

export const MessageReclassified = defineEvent({
  type: 'campaigns.message.reclassified',
  version: 1,
  meaning: 'An open or click that was published as human turned out to be automated, or the reverse.',
  data: message.extend({
    event_id: z.string().describe('ID of the campaigns.message.opened or campaigns.message.clicked event that this corrects.'),
    activity: z.enum(['opened', 'clicked']),
    machine: z.boolean().describe('The corrected value.'),
  }),
});

export const MessageBounced = defineEvent({
  type: 'campaigns.message.bounced',
  version: 1,
  meaning: 'The receiving server permanently rejected a message.',
  data: message.extend({
    hard: z.boolean().describe('Whether the address itself is undeliverable.'),
    reason: z.string().max(1_000).describe("The server's reason."),
    address_hash: z
      .string()
      .max(100)
      .optional()
      .describe('`suppressionHash` of the address it was sent to; the contact may have a different one by now.'),
  }),
  subjectsOf: ofContact,
});

export const MessageDeferred = defineEvent({
  type: 'campaigns.message.deferred',
  version: 1,
  meaning: 'The receiving server postponed a message; it is sent again later.',
  data: message.extend({ reason: z.string().max(1_000).describe("The server's reason.") }),
  subjectsOf: ofContact,
});

export const MessageFailed = defineEvent({
  type: 'campaigns.message.failed',
  version: 1,
  meaning: 'A message could not be sent, for a reason other than a rejection by the receiving server.',
  data: message.extend({ reason: z.string().max(1_000) }),
  subjectsOf: ofContact,
});

export const AddressRejected = defineEvent({
  type: 'campaigns.address.rejected',
  version: 1,
  meaning: 'An address that belongs to no contact must no longer be emailed.',
  data: z.object({
    address_hash: z.string().max(100).describe('`suppressionHash` of the address.'),
    reason: z.enum(['hard_bounce', 'complaint']),
    at: z.iso.datetime(),
  }),
});

export const MessageUnsubscribed = defineEvent({
  type: 'campaigns.message.unsubscribed',
  version: 1,
  meaning: 'A recipient unsubscribed from email; contacts updates the consent.',
  data: message.extend({ channel: z.enum(['email']), evidence: z.string().max(200).describe('How the recipient unsubscribed.') }),
});

export const MessageResubscribed = defineEvent({
  type: 'campaigns.message.resubscribed',
  version: 1,
  meaning: 'A recipient who had unsubscribed from email subscribed again on the preference page; contacts updates the consent.',
  data: message.extend({
    channel: z.enum(['email']),
    evidence: z.string().max(200).describe('How the recipient subscribed.'),
    text: z.string().max(500).describe('The text the recipient was shown.'),
  }),
});

export const MessageTopicsChanged = defineEvent({
  type: 'campaigns.message.topics_changed',
  version: 1,
  meaning: 'A recipient chose email topics on the preference page or by the one-click request; contacts updates the consent.',
  data: message.extend({
    topics: z
      .array(z.object({ topic: ConsentTopic, status: z.enum(['subscribed', 'unsubscribed']) }))
      .min(1)
      .max(50)
      .describe('The topics that changed.'),
    evidence: z.string().max(200).describe('How the recipient chose them.'),
  }),
});

export const CampaignEffectCompleted = defineEvent({
  type: 'campaigns.effect.completed',
  version: 1,
  meaning: 'The result of a message that a workflow requested: sent, or refused with a reason.',
  data: z.object({
    effect_key: z.string(),
    run_id: runId,
    status: z.enum(['done', 'refused']),
    reason: z.string().nullable(),
    detail: z
      .string()
      .nullable()
      .optional()
      .describe('With the reason `template_error` or `unverified_domain`: what is wrong with the template or the sender.'),
    recipient_id: recipientId.nullable(),
    retry_at: z.iso
      .datetime()
      .optional()
      .describe('With the reason `frequency_cap`: when the cap allows the next email, if that is known.'),
  }),
});

export const CampaignsContactErased = defineEvent({
  type: 'campaigns.contact.erased',
  version: 1,
  meaning: 'Confirms contacts.contact.erased: campaigns has removed all personal data of the contact.',
  data: ErasureReceipt,
});

export const CampaignTransitioned = defineEvent({
  type: 'campaigns.campaign.transitioned',
  version: 1,
  meaning: 'A campaign changed its status.',
  data: z.object({
    campaign_id: campaignId,
    name: z.string(),
    transition: z.enum(['schedule', 'unschedule', 'send', 'begin', 'pause', 'resume', 'finish', 'reopen', 'requeue', 'cancel', 'fail']),
    status: z.enum(['draft', 'scheduled', 'freezing', 'sending', 'paused', 'sent', 'cancelled', 'failed']),
    status_reason: z.string().nullable().describe('Why it failed.'),
    audience_count: z.number().int().nullable().describe('Number of recipients; null until it is known.'),
    revision: z.number().int().describe('Revision of the campaign; the highest is the newest.'),
    at: z.iso.datetime(),
  }),
});

export const CampaignApprovalChanged = defineEvent({
  type: 'campaigns.campaign.approval_changed',
  version: 1,
  meaning: 'Sending a campaign needs approval: it was requested, approved or rejected, or the request was withdrawn by a change.',
  data: z.object({ campaign_id: campaignId, ...approvalChanged }),
});

export const CampaignApprovalSettingChanged = defineEvent({
  type: 'campaigns.approval_setting.changed',
  version: 1,
  meaning: 'Which campaigns need approval changed; the gateway adds it to the audit log.',
  data: approvalSettingChanged,
});

export const FrequencyCapChanged = defineEvent({
  type: 'campaigns.frequency_cap.changed',
  version: 1,
  meaning: 'The frequency cap of the account changed; workflows lets the runs that wait for it try again.',
  data: z.object({}),
});

export const CampaignProblemFound = defineEvent({
  type: 'campaigns.campaign.problem_found',
  version: 1,
  meaning: 'A scheduled campaign would fail if it started now.',
  data: z.object({
    campaign_id: campaignId,
    name: z.string(),
    problem: z.string().describe('Why it would fail.'),
    schedule_at: z.iso.datetime().describe('When it is scheduled to start.'),
    revision: z.number().int().describe('Revision of the campaign.'),
    at: z.iso.datetime(),
  }),
});

export const AudienceChanged = defineEvent({
  type: 'campaigns.audience.changed',
  version: 1,
  meaning: 'The segments that an unsent campaign uses. Empty once its audience is frozen or the campaign will not be sent.',
  data: z.object({
    campaign_id: campaignId,
    name: z.string(),
    revision: z.number().int().describe('Revision of the campaign; a deletion increases it by one.'),
    segment_ids: z.array(segmentId).max(200),
  }),
});

export const CampaignsAccountErased = defineEvent({
  type: 'campaigns.account.erased',
  version: 1,
  meaning: 'Confirms platform.account.erased: campaigns no longer stores anything about the account.',
  data: AccountErasureReceipt,
});
