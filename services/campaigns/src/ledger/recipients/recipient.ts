import { campaignId, contactId, recipientId, workflowId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { includedContact } from '@mp/service-kit/include-contacts';
import { z } from 'zod';
import { Revenue } from '../conversions/revenue.ts';

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

/** Explains in plain words why a contact was emailed or not. */
type Explained = Pick<Recipient, 'status' | 'reason' | 'detail' | 'next_attempt_at'>;

export function explain({ status, reason, detail, next_attempt_at: nextAt }: Explained): string {
  const said = detail ? ` Mail server response: ${detail}` : '';
  switch (status) {
    case 'queued':
      return reason === 'awaiting_winner'
        ? 'Queued until the A/B test has a winner. Consent is checked again just before it is sent.'
        : `Queued${nextAt === null ? '' : ` until ${nextAt}`}${waits[reason ?? ''] ?? ''}. Consent is checked again just before it is sent.`;
    case 'sending':
      return 'Being sent to the mail server.';
    case 'deferred':
      return `The mail server rejected it temporarily; it is retried at next_attempt_at.${said}`;
    case 'sent':
      return `The mail server accepted it; delivery is not proven yet.${said}`;
    case 'delivered':
      return reason === 'no_bounce'
        ? 'Delivered: the mail server accepted it, and no bounce arrived within the time in the settings.'
        : 'Delivered: the provider reported it, it was opened, or a link in it was clicked.';
    case 'bounced':
      return `The address is undeliverable.${said}`;
    case 'complained':
      return 'The recipient reported it as spam.';
    case 'failed':
      if (reason === 'domain_unavailable')
        return `The domain of the address was slow or rejected emails for too long (5 days); it was not tried again.${said}`;
      return `The mail server rejected it permanently.${said}`;
    case 'unknown':
      return `It is unknown whether the mail server accepted it (${reason ?? 'unknown'}). An open or a click proves delivery; POST …/resolve-unknown resends it or leaves it.`;
    case 'skipped':
      return skipped[reason ?? ''] ?? `Not sent: ${reason}.`;
  }
}

const waits: Record<string, string> = {
  sending_paused: ', because all sending of the account is stopped',
  local_time: ', the scheduled time in the time zone of the contact',
  quiet_hours: ', because of quiet hours',
  domain_throttle: ', because of the throttle of a domain',
  domain_unavailable: ', because the domain of the address is slow or rejects emails temporarily',
};

const skipped: Record<string, string> = {
  no_address: 'The contact had no email address.',
  unsubscribed: 'The contact had unsubscribed from email.',
  pending_opt_in: 'The contact had not subscribed to email.',
  suppressed: 'The contact was suppressed.',
  bounced_before: 'An earlier email to this address hard-bounced.',
  excluded: 'The contact was in an excluded segment.',
  deleted: 'The contact had been deleted.',
  template_error: 'The template could not be rendered for this contact; see detail.',
  unsubscribed_topic: 'The contact had unsubscribed from the topic of the campaign.',
  frequency_cap: 'The contact had already received as many marketing emails as the settings allow.',
  coupon_exhausted: 'No code of the coupon was left for the contact; see detail.',
  coupon_expired: 'The coupon of the email had expired; see detail.',
  held_out: 'The contact is in the hold-out group of the campaign, which is not emailed.',
  cancelled: 'The campaign was cancelled before it was sent to this contact.',
};
