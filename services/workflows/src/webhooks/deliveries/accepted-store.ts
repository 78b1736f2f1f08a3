import type { JournalOf } from '@mp/contracts/journal';
import type { AccountId, WebhookId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { NewDelivery } from './deliveries-store.ts';
import { deliveryRetentionDays } from './delivery.ts';

type AcceptedDocument = { _id: string; account_id: AccountId; applied_at: Date };

const recheckMs = 5_000;

const keyOf = (webhookId: WebhookId, eventId: string) => `${webhookId} ${eventId}`;

export type AcceptedStore = ReturnType<typeof createAcceptedStore>;

/**
 * Events that receivers accepted after the backup that was restored; empty unless the platform was. Owns
 * `webhook_accepted`.
 */
export function createAcceptedStore(db: Db) {
  const accepted = db.collection<AcceptedDocument>('webhook_accepted');
  let any = false;
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** Saves a query for each event on a platform that was never restored. */
  async function hasAny(now = performance.now()): Promise<boolean> {
    if (now - lookedAt > recheckMs) {
      any = (await accepted.findOne({}, { projection: { _id: 1 } })) !== null;
      lookedAt = now;
    }
    return any;
  }

  return {
    prepare: () => prepareCollection(accepted, [{ key: { applied_at: 1 }, expireAfterSeconds: deliveryRetentionDays * 24 * 60 * 60 }], db),

    /** Returns how many are new. */
    async add({ account_id, webhook_id, event_ids }: JournalOf<'delivery'>, applied_at: Date): Promise<number> {
      const documents = [...new Set(event_ids)].map((id) => ({ _id: keyOf(webhook_id, id), account_id, applied_at }));
      try {
        return (await accepted.insertMany(documents, { ordered: false })).insertedCount;
      } catch (error) {
        if (!isDuplicateKey(error) || !(error instanceof Error) || !('insertedCount' in error)) throw error;
        return Number(error.insertedCount);
      }
    },

    /** Without those that were accepted before the restore. */
    async without(tx: Transaction, queued: readonly NewDelivery[]): Promise<readonly NewDelivery[]> {
      if (queued.length === 0 || !(await hasAny())) return queued;
      const keys = queued.map(({ webhookId, payload }) => keyOf(webhookId, payload.id));
      const accountIds = [...new Set(queued.map(({ payload }) => payload.account_id))];
      const those = { _id: { $in: keys }, account_id: { $in: accountIds } };
      const found = await accepted.find(those, { session: tx.session }).toArray();
      const known = new Set(found.map(({ _id }) => _id));
      return queued.filter((_, index) => !known.has(keys[index] ?? ''));
    },
  };
}
