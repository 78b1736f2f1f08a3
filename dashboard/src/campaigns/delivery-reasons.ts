import type { LedgerReason } from './campaigns.ts';

const words: Readonly<Record<LedgerReason, string>> = {
  no_address: 'no email address',
  unsubscribed: 'unsubscribed',
  pending_opt_in: 'consent not confirmed yet',
  suppressed: 'suppressed',
  bounced_before: 'bounced before',
  excluded: 'excluded from the audience',
  deleted: 'deleted',
  template_error: 'the email could not be rendered',
  cancelled: 'campaign cancelled before sending',
  unsubscribed_topic: 'unsubscribed from the topic',
  frequency_cap: 'frequency cap reached',
  held_out: 'held out',
  coupon_exhausted: 'no coupon code left',
  coupon_expired: 'the coupon had expired',
  sending_paused: 'Waits because all sending is stopped',
  local_time: 'waits for the local time',
  quiet_hours: 'waits for the end of quiet hours',
  domain_throttle: 'waits because of the throttle of a domain',
  domain_unavailable: 'domain slow or rejecting emails',
  awaiting_winner: 'waits for the winner of the A/B test',
  refused_for_now: 'rejected temporarily by the mail server',
  refused: 'rejected by the mail server',
  bad_address: 'the address does not exist',
  connection_lost: 'the connection was lost while it was sent',
  worker_lost: 'interrupted while it was sent',
  restored: 'restored from a backup',
  left: 'left as unknown',
  no_bounce: 'no bounce arrived',
  unverified_domain: 'the domain of the sender is not verified',
};

const wordsByCode: Readonly<Record<string, string>> = words;

/** Why a recipient has its state, in words. A reason that this page does not know is shown as its code. */
export const deliveryReasonLabel = (reason: string) => wordsByCode[reason] ?? reason.replaceAll('_', ' ');

type Skipped = { reason: string | null };

/** Why emails were skipped, the most frequent reason first. With only some of them at hand, which reasons there are. */
export function skippedBecause(rows: readonly Skipped[], isAll: boolean): string {
  const amounts = new Map<string, number>();
  for (const { reason } of rows) if (reason !== null) amounts.set(reason, (amounts.get(reason) ?? 0) + 1);
  const reasons = [...amounts].toSorted(([, one], [, other]) => other - one);
  return reasons.map(([reason, amount]) => `${isAll && reasons.length > 1 ? `${amount} ` : ''}${deliveryReasonLabel(reason)}`).join(', ');
}

type Outcome = { status: string; reason: string | null; detail: string | null };

/** Why an email was not delivered, in words. What the mail server replied when it accepted one is not a reason. */
export function reasonOf({ status, reason, detail }: Outcome): string | null {
  if (reason) return deliveryReasonLabel(reason);
  return status === 'sent' || status === 'delivered' ? null : detail;
}
