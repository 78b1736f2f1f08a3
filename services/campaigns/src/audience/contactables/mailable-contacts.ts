import { isOwnChoice } from '@mp/contracts/consent-in-force';
import type { Consent, Contact } from '@mp/contracts/contact';
import { findContacts } from '@mp/contracts/requests/find-contacts';
import type { AccountId, ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { SkipReason } from '../../ledger/recipients/recipient.ts';
import type { ContactablesStore } from './contactables-store.ts';
import type { Suppressions, SuppressionsStore } from './suppressions-store.ts';

export type Verdict = { contact: Contact | undefined; reason: SkipReason | undefined };

export type FindMailable = ReturnType<typeof createFindMailable>;

/**
 * Decides for each of these contacts whether it may be emailed now, and if not, why. Contacts missing from the projection
 * are requested from the contacts service; throws SERVICE_UNAVAILABLE if it does not reply, rather than guess.
 */
export function createFindMailable({
  contactables,
  suppressions,
  broker,
}: {
  contactables: ContactablesStore;
  suppressions: SuppressionsStore;
  broker: Pick<Broker, 'request'>;
}) {
  return async (
    accountId: AccountId,
    contactIds: readonly ContactId[],
    { keep = true, topic }: { keep?: boolean; topic?: string | null | undefined } = {},
  ): Promise<Map<ContactId, Verdict>> => {
    const known = await contactables.find(accountId, contactIds);
    const missing = contactIds.filter((id) => !known.has(id));
    await findContacts(broker.request, { account_id: accountId, ids: missing }, async (contacts) => {
      for (const contact of contacts) known.set(contact.id, contact);
      if (keep) await contactables.keep(accountId, contacts);
    });
    const emails = contactIds.flatMap((id) => known.get(id)?.email ?? []);
    const suppressed = await suppressions.find(accountId, contactIds, emails, topic);
    return new Map(
      contactIds.map((id) => {
        const contact = known.get(id) ?? undefined;
        return [id, { contact, reason: reasonNotToMail(contact, suppressed.of(id, contact?.email ?? null), topic) }];
      }),
    );
  };
}

type Choices = Pick<Suppressions, 'unsubscribedAt' | 'resubscribedAt'>;

/** When the contact unsubscribed, if that is what it chose last, by its consent or in an email. */
export function leftAt(consent: Consent | null | undefined, { unsubscribedAt, resubscribedAt }: Choices): Date | undefined {
  const saidAt = (status: Consent['status']) => (consent?.status === status ? new Date(consent.at) : undefined);
  const latest = (...times: (Date | undefined)[]) => Math.max(...times.map((time) => time?.getTime() ?? Number.NEGATIVE_INFINITY));
  const left = latest(saidAt('unsubscribed'), unsubscribedAt);
  return Number.isFinite(left) && left >= latest(saidAt('subscribed'), resubscribedAt) ? new Date(left) : undefined;
}

/** The topics that the contact chose for itself, as far as they hold without the channel. */
export function ownChoices(consent: Contact['consent'] | undefined, choices: Choices): ReadonlyMap<string, Consent> {
  const unsubscribedAt = leftAt(consent?.email, choices);
  const chosen = Object.entries(consent?.topics ?? {}).map(([topic, { email }]) => [topic, email] as const);
  return new Map(chosen.flatMap(([topic, own]) => (own && isOwnChoice(own, unsubscribedAt) ? [[topic, own] as const] : [])));
}

/** Whether the contact does not want email, not even about a topic that it has confirmed since. */
export const hasUnsubscribed = (consent: Contact['consent'] | undefined, choices: Choices): boolean =>
  leftAt(consent?.email, choices) !== undefined && ownChoices(consent, choices).size === 0;

/** The consent that an email about this topic is sent by: what was said about the topic, or else about the channel. */
export const consentInForce = ({ consent }: Contact, topic: string | null): Consent | null =>
  (topic && consent.topics && Object.hasOwn(consent.topics, topic) ? consent.topics[topic]?.email : undefined) ?? consent.email;

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
  const own = topic ? contact.consent.topics?.[topic]?.email : undefined;
  const unsubscribedAt = leftAt(consent, choices);
  const hasLeft = topicLeftAt !== undefined && (!own || topicLeftAt >= new Date(own.at));
  // What the contact itself chose for the topic holds without the channel, and a confirmation also after an unsubscription from it.
  if (!hasLeft && isOwnChoice(own, unsubscribedAt)) return undefined;
  if (!consent || consent.status === 'pending') return 'pending_opt_in';
  if (unsubscribedAt) return 'unsubscribed';
  if (hasLeft || own?.status === 'unsubscribed') return 'unsubscribed_topic';
  return own?.status === 'pending' ? 'pending_opt_in' : undefined;
}
