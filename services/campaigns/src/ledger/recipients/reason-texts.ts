import type { Recipient } from './recipient.ts';

type Explained = Pick<Recipient, 'status' | 'reason' | 'detail' | 'next_attempt_at'>;

/** Explains in plain words why a contact was emailed or not. */
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
