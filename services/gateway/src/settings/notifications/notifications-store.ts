import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** Why an email was rejected; null if it was sent. */
type Result = { refused: string | null };

type NotificationDocument = Result & { _id: string; account_id: AccountId; user_id: string; at: Date };

export type NotificationsStore = ReturnType<typeof createNotificationsStore>;

/** A run gives up on an effect after one day, and the stream keeps the request for seven. */
const keepSeconds = 9 * 24 * 60 * 60;

/** Owns the `notifications` collection: the result of each email to a user that a workflow requested, by account and key. */
export function createNotificationsStore(db: Db) {
  const notifications = db.collection<NotificationDocument>('notifications');
  const idOf = (accountId: AccountId, key: string) => `${accountId} ${key}`;

  return {
    prepare: () =>
      prepareCollection(
        notifications,
        [
          { name: 'of_user', key: { account_id: 1, user_id: 1, at: 1 } },
          { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    async resultOf(tx: Transaction, accountId: AccountId, key: string): Promise<Result | undefined> {
      const row = await notifications.findOne({ _id: idOf(accountId, key), account_id: accountId }, { session: tx.session });
      return row ? { refused: row.refused } : undefined;
    },

    /** How many emails the user got since then, up to `limit`. */
    countSince: (tx: Transaction, accountId: AccountId, userId: string, { since, limit }: { since: Date; limit: number }) =>
      notifications.countDocuments(
        { account_id: accountId, user_id: userId, at: { $gte: since }, refused: null },
        { session: tx.session, limit },
      ),

    async keep(
      tx: Transaction,
      accountId: AccountId,
      key: string,
      { user_id, refused, at }: Omit<NotificationDocument, '_id' | 'account_id'>,
    ) {
      const row = { _id: idOf(accountId, key), account_id: accountId, user_id, refused, at };
      await notifications.insertOne(row, { session: tx.session });
    },
  };
}
