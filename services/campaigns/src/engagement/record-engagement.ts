import type { EventType } from '@mp/contracts/event';
import { MessageClicked, MessageOpened, MessageReclassified, MessageUnsubscribed } from '@mp/contracts/events/campaigns';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { isDuplicateKey } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { z } from 'zod';
import type { ContactablesStore } from '../audience/contactables/contactables-store.ts';
import { hasUnsubscribed, ownChoices } from '../audience/contactables/mailable-contacts.ts';
import type { SuppressionsStore } from '../audience/contactables/suppressions-store.ts';
import type { EngagementDocument, EngagementsStore } from '../ledger/engagements/engagements-store.ts';
import { earliestDelivery } from '../ledger/recipients/earliest-delivery.ts';
import { messageOf } from '../ledger/recipients/message-of.ts';
import { isPublished, noContact, type RecipientDocument } from '../ledger/recipients/recipient-row.ts';
import type { SettleDelivered } from '../ledger/recipients/settle-delivered.ts';
import { allLinksMs, areAllLinks, machineReason } from './bot-detection.ts';
import { deviceOf } from './device.ts';

type Deps = {
  mongo: Mongo;
  outbox: Outbox;
  engagements: EngagementsStore;
  contactables: ContactablesStore;
  suppressions: SuppressionsStore;
  settleDelivered: SettleDelivered;
};

/** The request behind an engagement. */
export type Seen = { requestId: string; method: string; userAgent: string; at: Date };

export type RecordEngagement = ReturnType<typeof createRecordEngagement>;

/** Stores an engagement once and publishes it in the same transaction. */
export function createRecordEngagement({ mongo, outbox, engagements, contactables, suppressions, settleDelivered }: Deps) {
  const engagementOf = (
    row: RecipientDocument,
    { userAgent, at }: Seen,
    rest: Pick<EngagementDocument, '_id' | 'kind' | 'machine' | 'link' | 'url'>,
  ) => ({
    account_id: row.account_id,
    source_id: row.source_id,
    recipient_id: row._id,
    user_agent: userAgent.slice(0, 300),
    at,
    ...(rest.kind !== 'unsubscribed' && { device: deviceOf(userAgent.slice(0, 300)) }),
    ...(rest.kind === 'clicked' && row.contact_id !== noContact && { contact_id: row.contact_id }),
    ...rest,
  });

  /** Repetitions within a second count once, which also limits how much one link can write. */
  const secondOf = ({ at }: Seen) => Math.floor(at.getTime() / 1_000);

  async function once(seen: Seen, work: (tx: Transaction) => Promise<void>) {
    try {
      await mongo.transaction({ correlationId: seen.requestId, causationId: null }, work);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  /** Stores and publishes the engagement. Returns false if it is already stored. */
  async function add<Data extends z.ZodType>(
    tx: Transaction,
    row: RecipientDocument,
    { engagement, type, data }: { engagement: Omit<EngagementDocument, 'event_id'>; type: EventType<Data>; data: z.input<Data> },
  ): Promise<boolean> {
    const events = outbox.eventsOf(tx, type, row.account_id, [data]);
    const isNew = await engagements.add(tx, row, { ...engagement, event_id: events[0]?.id ?? '' });
    if (!isNew) return false;
    await settleDelivered.delivered(tx, row, engagement.at);
    if (isPublished(row)) await outbox.insert(tx, events);
    return true;
  }

  return {
    opened: (row: RecipientDocument, seen: Seen) =>
      once(seen, async (tx) => {
        const machine = machineReason({ ...seen, deliveredFrom: earliestDelivery(row) }, 'opened');
        const _id = `${row._id} opened ${secondOf(seen)}`;
        const engagement = engagementOf(row, seen, { _id, kind: 'opened', machine, link: null, url: null });
        await add(tx, row, { engagement, type: MessageOpened, data: { ...messageOf(row, seen.at), machine: machine !== null } });
      }),

    clicked: (row: RecipientDocument, seen: Seen, link: { number: number; url: string; count: number }) =>
      once(seen, async (tx) => {
        const earlier = await engagements.clicksSince(tx, row, new Date(seen.at.getTime() - allLinksMs));
        const followed = new Set([link.number, ...earlier.map(({ link: number }) => number ?? -1)]);
        const all = areAllLinks(followed, link.count);
        const machine = machineReason({ ...seen, deliveredFrom: earliestDelivery(row) }, 'clicked') ?? (all ? 'all_links' : null);
        const _id = `${row._id} clicked ${link.number} ${secondOf(seen)}`;
        const engagement = engagementOf(row, seen, { _id, kind: 'clicked', machine, link: link.number, url: link.url });
        const isNew = await add(tx, row, {
          engagement,
          type: MessageClicked,
          data: {
            ...messageOf(row, seen.at),
            url: link.url,
            machine: machine !== null,
          },
        });
        if (!(isNew && all && isPublished(row))) return;
        const corrected = await engagements.markMachine(tx, row, earlier, 'all_links');
        await outbox.addMany(
          tx,
          MessageReclassified,
          row.account_id,
          corrected.map(({ event_id, at }) => ({ ...messageOf(row, at), event_id, activity: 'clicked' as const, machine: true })),
        );
      }),

    /** Recorded once per consent: a contact that has subscribed again can unsubscribe again, even before contacts has stored the consent. */
    unsubscribed: (row: RecipientDocument, seen: Seen) =>
      once(seen, async (tx) => {
        // A test does not unsubscribe anyone, and an address without a contact has no consent.
        if (!isPublished(row)) return;
        const contact = (await contactables.find(row.account_id, [row.contact_id])).get(row.contact_id);
        const consent = contact?.consent;
        const choices = await suppressions.choicesOf(row.account_id, row.contact_id, tx);
        if (hasUnsubscribed(consent, choices)) return;
        const chosenAt = [...ownChoices(consent, choices).values()].map(({ at }) => at);
        const subscribedAt = [consent?.email?.at ?? '', choices.resubscribedAt?.toISOString() ?? '', ...chosenAt].sort().at(-1);
        const _id = `${row._id} unsubscribed ${subscribedAt}`;
        const engagement = engagementOf(row, seen, { _id, kind: 'unsubscribed', machine: null, link: null, url: null });
        const isNew = await add(tx, row, {
          engagement,
          type: MessageUnsubscribed,
          data: {
            ...messageOf(row, seen.at),
            channel: 'email',
            evidence: `link in message ${row._id}`,
          },
        });
        if (isNew) await suppressions.unsubscribed(tx, row.account_id, row.contact_id, seen.at);
      }),
  };
}
