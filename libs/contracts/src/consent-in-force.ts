import type { Channel, Consent, ConsentMethod, ConsentStatus, Contact } from './contact.ts';

/** How a consent was recorded that came from the mailbox of the person; and that was given in a form, where anybody can enter an address. */
const confirmed: readonly ConsentMethod[] = ['double_opt_in', 'link'];
const personal: readonly ConsentMethod[] = [...confirmed, 'form'];

const topicOf = (consent: Contact['consent'], topic: string | null) =>
  topic !== null && consent.topics && Object.hasOwn(consent.topics, topic) ? consent.topics[topic] : undefined;

/**
 * Whether a person's own subscription to a topic holds although the channel is not subscribed: if the channel has no consent yet, or if
 * it came from the person's mailbox after the channel was unsubscribed.
 */
export function isOwnChoice(own: Consent | null | undefined, unsubscribedAt: Date | undefined): boolean {
  if (own?.status !== 'subscribed' || !personal.includes(own.method)) return false;
  return unsubscribedAt === undefined || (confirmed.includes(own.method) && new Date(own.at) > unsubscribedAt);
}

/**
 * The consent that counts for a topic, or for the whole channel if it is null. A topic without a record follows its channel; null:
 * nothing was agreed to. A subscription to a topic that does not hold by itself counts as pending.
 */
export function consentInForce(consent: Contact['consent'], channel: Channel, topic: string | null): ConsentStatus | null {
  const whole = consent[channel];
  const own = topicOf(consent, topic)?.[channel];
  if (!own) return whole?.status ?? null;
  const isUnsubscribed = whole?.status === 'unsubscribed';
  if (isOwnChoice(own, isUnsubscribed ? new Date(whole.at) : undefined)) return 'subscribed';
  if (isUnsubscribed) return 'unsubscribed';
  return own.status === 'subscribed' && whole?.status !== 'subscribed' ? 'pending' : own.status;
}
