import { CampaignEffectCompleted, MessageComplained, MessageDelivered, MessageSent } from '@mp/contracts/events/campaigns';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { messageOf } from './message-of.ts';
import { isPublished, type RecipientDocument } from './recipient-row.ts';
import type { RecipientsStore } from './recipients-store.ts';

type Deps = { recipients: RecipientsStore; outbox: Outbox; onSettled?: (settled: Pick<RecipientDocument, 'state' | 'attempts'>) => void };

export type SettleDelivered = ReturnType<typeof createSettleDelivered>;

/** Publishes the events that follow from a proven delivery; `before` is the row before it. */
export async function publishDelivery(outbox: Outbox, tx: Transaction, before: RecipientDocument, at: Date) {
  if (!isPublished(before)) return;
  const accountId = before.account_id;
  const wasAccepted = before.state === 'sent';
  if (!wasAccepted) await outbox.add(tx, MessageSent, accountId, messageOf(before, before.handed_at ?? at));
  await outbox.add(tx, MessageDelivered, accountId, messageOf(before, at));
  // A row that was unknown has already reported its result.
  if (before.run_id === undefined || wasAccepted || before.state === 'unknown') return;
  const effect = { effect_key: before.source_key, run_id: before.run_id, status: 'done' as const, reason: null, recipient_id: before._id };
  await outbox.add(tx, CampaignEffectCompleted, accountId, effect);
}

/** Settles emails whose delivery is proven by an engagement or a complaint. They are never sent again. */
export function createSettleDelivered({ recipients, outbox, onSettled }: Deps) {
  return {
    /** In the transaction of an open, a click or an unsubscription. */
    async delivered(tx: Transaction, { _id, account_id }: RecipientDocument, at: Date) {
      const before = await recipients.markDelivered(tx, account_id, _id, at);
      if (!before) return;
      await publishDelivery(outbox, tx, before, at);
      tx.afterCommit(() => onSettled?.({ ...before, state: 'delivered' }));
    },

    /** A complaint does not name an email; it is attributed to the latest one sent to the contact. */
    async complained(tx: Transaction, accountId: AccountId, contactId: ContactId, at: Date) {
      const before = await recipients.markComplained(tx, accountId, contactId, at);
      if (!before) return;
      if (before.state !== 'delivered') await publishDelivery(outbox, tx, before, at);
      await outbox.add(tx, MessageComplained, accountId, messageOf(before, at));
      tx.afterCommit(() => onSettled?.({ ...before, state: 'complained' }));
    },
  };
}
