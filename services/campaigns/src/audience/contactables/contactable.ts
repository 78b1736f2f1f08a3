import type { Consent, Contact } from '@mp/contracts/contact';
import type { SkipReason } from '../../ledger/recipients/recipient.ts';

/** Unsubscriptions, hard bounces and complaints that this service saw itself, before the contacts service confirms them. */
export type Suppressions = {
  unsubscribedAt: Date | undefined;
  /** When the contact subscribed again on the preference page. */
  resubscribedAt?: Date | undefined;
  bounced: boolean;
  complained?: boolean;
  topicLeftAt?: Date | undefined;
};

/** Whether the contact does not want email: what it chose last, by its consent or in an email. */
export function hasUnsubscribed(
  consent: Consent | null | undefined,
  { unsubscribedAt, resubscribedAt }: Pick<Suppressions, 'unsubscribedAt' | 'resubscribedAt'>,
): boolean {
  const saidAt = (status: Consent['status']) => (consent?.status === status ? new Date(consent.at) : undefined);
  const latest = (...times: (Date | undefined)[]) => Math.max(...times.map((time) => time?.getTime() ?? Number.NEGATIVE_INFINITY));
  const left = latest(saidAt('unsubscribed'), unsubscribedAt);
  return Number.isFinite(left) && left >= latest(saidAt('subscribed'), resubscribedAt);
}

/** Why this contact must not be emailed now; undefined if it may be. An undefined contact no longer exists. */
export function reasonNotToMail(
  contact: Contact | undefined,
  { bounced, complained = false, topicLeftAt, ...choices }: Suppressions,
  topic?: string | null,
): SkipReason | undefined {
  if (!contact) return 'deleted';
  if (!contact.email) return 'no_address';
  if (contact.status === 'bounced' || bounced) return 'bounced_before';
  if (complained || contact.status === 'complained' || contact.status === 'suppressed') return 'suppressed';
  const consent = contact.consent.email;
  if (!consent || consent.status === 'pending') return 'pending_opt_in';
  if (hasUnsubscribed(consent, choices)) return 'unsubscribed';
  const own = topic ? contact.consent.topics?.[topic]?.email : undefined;
  const hasLeft = topicLeftAt !== undefined && (!own || topicLeftAt >= new Date(own.at));
  return hasLeft || own?.status === 'unsubscribed' ? 'unsubscribed_topic' : undefined;
}
