import type { AccountId, ContactId, WebhookId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { type Db, MongoBulkWriteError } from 'mongodb';
import { type Attempt, deliveryRetentionDays, maxAttemptsKept } from './delivery.ts';
import type { Held } from './delivery-document.ts';

type AttemptDocument = Omit<Attempt, 'at'> & {
  /** The delivery and the number of the attempt, so that an attempt that is repeated after a crash is not recorded twice. */
  _id: string;
  account_id: AccountId;
  webhook_id: WebhookId;
  at: Date;
  /** The contacts of the delivery, if the receiver said something, which may be about them. */
  contact_ids?: ContactId[];
  /** When its delivery was created, so that both expire together. */
  created_at: Date;
};

type Made = { held: Held; attempt: Attempt };

const idOf = (deliveryId: string, number: number) => `${deliveryId} ${number}`;

const attemptOf = ({ at, status_code, duration_ms, error, response }: AttemptDocument): Attempt => ({
  ...{ at: at.toISOString(), status_code, duration_ms, error, response },
});

const documentOf = ({ held, attempt: { at, response, ...attempt } }: Made): AttemptDocument => ({
  _id: idOf(held.id, held.attempts + 1),
  account_id: held.accountId,
  webhook_id: held.webhookId,
  at: new Date(at),
  ...attempt,
  response,
  ...(response !== null && response !== '' && held.contactIds.length > 0 && { contact_ids: [...held.contactIds] }),
  created_at: held.createdAt,
});

export type AttemptsStore = ReturnType<typeof createAttemptsStore>;

/** The log of attempts, apart from the deliveries, which therefore stay small and change together. Owns `webhook_attempts`. */
export function createAttemptsStore(db: Db) {
  const attempts = db.collection<AttemptDocument>('webhook_attempts');

  return {
    prepare: () =>
      prepareCollection(
        attempts,
        [
          { key: { account_id: 1, webhook_id: 1, at: 1 } },
          {
            key: { account_id: 1, contact_ids: 1 },
            name: 'contacts',
            partialFilterExpression: { contact_ids: { $exists: true } },
          },
          { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: deliveryRetentionDays * 24 * 60 * 60 },
        ],
        db,
      ),

    /**
     * Records one attempt of each delivery. Returns those whose attempt was recorded before: a process that was killed made it, or
     * another one took the delivery over.
     */
    async add(made: readonly Made[]): Promise<Made[]> {
      try {
        await attempts.insertMany(made.map(documentOf), { ordered: false });
        return [];
      } catch (error) {
        if (!(error instanceof MongoBulkWriteError) || !isDuplicateKey(error)) throw error;
        const failed = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors];
        if (failed.some(({ code }) => code !== 11_000)) throw error;
        return failed.flatMap(({ index }) => made[index] ?? []);
      }
    },

    /** Records attempts instead of the earlier ones with the same numbers. */
    async replace(made: readonly Made[]): Promise<void> {
      if (made.length === 0) return;
      await attempts.bulkWrite(
        made.map(documentOf).map((replacement) => ({
          replaceOne: { filter: { _id: replacement._id, account_id: replacement.account_id }, replacement, upsert: true },
        })),
      );
    },

    /** The last attempts of a delivery, oldest first. */
    async of(accountId: AccountId, { id, count }: { id: string; count: number }, tx?: Transaction): Promise<Attempt[]> {
      const numbers = Array.from({ length: Math.min(count, maxAttemptsKept) }, (_, index) => count - index);
      const those = { _id: { $in: numbers.map((number) => idOf(id, number)) }, account_id: accountId };
      const found = await attempts.find(those, { ...(tx && { session: tx.session }), sort: { at: 1 } }).toArray();
      return found.map(attemptOf);
    },

    /** The last attempt of each delivery that has one, by delivery. */
    async last(accountId: AccountId, deliveries: readonly { _id: string; attempt_count: number }[]): Promise<Map<string, Attempt>> {
      const tried = deliveries.filter(({ attempt_count }) => attempt_count > 0);
      if (tried.length === 0) return new Map();
      const ids = new Map(tried.map(({ _id, attempt_count }) => [idOf(_id, attempt_count), _id]));
      const found = await attempts.find({ _id: { $in: [...ids.keys()] }, account_id: accountId }).toArray();
      return new Map(found.map((document) => [ids.get(document._id) ?? '', attemptOf(document)]));
    },

    /** The last attempts of a webhook, newest first. */
    async recent(accountId: AccountId, webhookId: WebhookId, limit: number): Promise<Attempt[]> {
      const found = await attempts.find({ account_id: accountId, webhook_id: webhookId }).sort({ at: -1 }).limit(limit).toArray();
      return found.map(attemptOf);
    },

    /** Removes the attempts that concern these contacts. Idempotent. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<void> {
      await attempts.deleteMany({ account_id: accountId, contact_ids: { $in: [...contactIds] } }, tx && { session: tx.session });
    },
  };
}
