import { campaignId, contactId, recipientId, workflowId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { includedContact } from '@mp/service-kit/include-contacts';
import { z } from 'zod';
import { Revenue } from '../revenue.ts';

export const recipientStates = [
  'queued',
  'sending',
  'deferred',
  'sent',
  'delivered',
  'bounced',
  'complained',
  'skipped',
  'failed',
  'unknown',
] as const;
export type RecipientState = (typeof recipientStates)[number];

/** The states from which an email can still be sent without a decision by a user. */
export const pendingStates = ['queued', 'deferred', 'sending'] as const satisfies RecipientState[];

/** Why a contact in the audience is not emailed. */
export const skipReasons = [
  'no_address',
  'unsubscribed',
  'pending_opt_in',
  'suppressed',
  'bounced_before',
  'excluded',
  'deleted',
  'template_error',
  'cancelled',
  'unsubscribed_topic',
  'frequency_cap',
  'held_out',
  'coupon_exhausted',
  'coupon_expired',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Why a queued email waits although it could be sent otherwise. */
export const postponeReasons = ['sending_paused', 'local_time', 'quiet_hours', 'domain_throttle', 'domain_unavailable'] as const;
export type PostponeReason = (typeof postponeReasons)[number];

/** Every reason that a row can have. */
export const ledgerReasons = [
  ...skipReasons,
  ...postponeReasons,
  ...(['awaiting_winner', 'refused_for_now', 'refused', 'bad_address', 'connection_lost', 'worker_lost'] as const),
  ...(['restored', 'left', 'no_bounce', 'unverified_domain'] as const),
] as const;

/** One row of the ledger: one recipient of one campaign. */
export const Recipient = z
  .object({
    id: recipientId.describe('The ID of the recipient.'),
    campaign_id: campaignId.nullable().describe('The ID of the campaign.'),
    contact_id: contactId.describe('The ID of the contact.'),
    contact: includedContact,
    status: renamedFrom(
      'state',
      z
        .enum(recipientStates)
        .describe(
          '`sent`: accepted by the mail server; `delivered`: delivery proven by the provider, an open or a click, or without a bounce for the time in the settings (reason `no_bounce`).',
        ),
    ),
    reason: z
      .string()
      .nullable()
      .describe(
        `Why the status is skipped (${skipReasons.join(', ')}), failed, bounced, deferred, unknown, or waits while queued: for the winner of an A/B test (awaiting_winner) or until next_attempt_at (${postponeReasons.join(', ')}).`,
      ),
    detail: z.string().nullable().describe("The mail server's response, or the template error."),
    address: z.string().nullable().describe('The email address it was sent to.'),
    variant: z.string().nullable().describe("The variant of the campaign's A/B test; null without one, and until the winner is known."),
    attempts: z.number().int().describe('The number of attempts to send it.'),
    next_attempt_at: renamedFrom(
      'next_at',
      z.iso
        .datetime()
        .nullable()
        .describe('The time of the next attempt, if it waits for one: its local time, the end of quiet hours, or a retry.'),
    ),
    scheduled_for: z.iso
      .datetime()
      .nullable()
      .describe('When the email is scheduled to be sent; in `recipient` mode, in the time zone of the contact. Null without a schedule.'),
    lateness_seconds: z.number().int().nullable().describe('How long after `scheduled_for` the mail server accepted it.'),
    message_id: z.string().nullable().describe('The Message-ID header of the email.'),
    sent_at: z.iso.datetime().nullable().describe('When the mail server accepted the email.'),
    coupon_code: z.string().nullable().describe('The code that the email handed out; null without a coupon.'),
    opens: z.number().int().describe('How often the recipient opened the email; automated opens do not count.'),
    clicks: z.number().int().describe('How often the recipient clicked a link in the email; automated clicks do not count.'),
    conversions: z.number().int().describe('The conversions after a click in the email, such as orders.'),
    revenue: Revenue,
    created_at: z.iso.datetime().describe('When the recipient was added to the ledger.'),
    updated_at: z.iso.datetime().describe('When the recipient last changed.'),
  })
  .meta({ id: 'Recipient' });
export type Recipient = z.infer<typeof Recipient>;

/** One email that a step of a workflow sent to a contact. */
export const WorkflowRecipient = Recipient.omit({ campaign_id: true })
  .extend({
    workflow_id: workflowId.describe('The workflow that sent the email.'),
    step_id: z.string().nullable().describe('The step of the workflow that sent the email.'),
    variant: z.string().nullable().describe('The variant of the step, by name; null without variants.'),
  })
  .meta({ id: 'WorkflowRecipient' });
export type WorkflowRecipient = z.infer<typeof WorkflowRecipient>;

/** The number of rows with each status. */
export const StateCounts = z.record(z.enum(recipientStates), z.number().int());
export type StateCounts = z.infer<typeof StateCounts>;
