import { suppressionHash } from '@mp/contracts/contact';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** `key` is a contact's ID for an unsubscription and the hash of an address for a bounce, so it holds no personal data. */
type SuppressionDocument = { _id: string; account_id: string; kind: 'unsubscribed' | 'bounced'; key: string; at: Date };

export type SuppressionsStore = ReturnType<typeof createSuppressionsStore>;

/**
 * Unsubscriptions and bounces that this service saw itself. They take effect at once, before the contacts service has
 * processed and published them.
 */
export function createSuppressionsStore(db: Db) {
  const suppressions = db.collection<SuppressionDocument>('suppressions');

  const put = (tx: Transaction, accountId: string, kind: SuppressionDocument['kind'], key: string, at: Date) =>
    suppressions.updateOne(
      { _id: `${accountId} ${kind} ${key}`, account_id: accountId },
      { $set: { kind, key, at } },
      { upsert: true, session: tx.session },
    );

  return {
    prepare: () => prepareCollection(suppressions, [{ key: { account_id: 1, kind: 1, key: 1 } }], db),

    unsubscribed: (tx: Transaction, accountId: string, contactId: string, at: Date) => put(tx, accountId, 'unsubscribed', contactId, at),
    bounced: (tx: Transaction, accountId: string, email: string, at: Date) =>
      put(tx, accountId, 'bounced', suppressionHash(accountId, 'email', email), at),

    /** Removes the bounce of an address if it happened before `at`, so that it is emailed again. */
    async lift(tx: Transaction, accountId: string, hash: string, at: Date) {
      const _id = `${accountId} bounced ${hash}`;
      await suppressions.deleteOne({ _id, account_id: accountId, at: { $lte: at } }, { session: tx.session });
    },

    async find(accountId: string, contactIds: readonly string[], emails: readonly string[]) {
      const hashOf = (email: string) => suppressionHash(accountId, 'email', email);
      const rows = await suppressions
        .find({
          account_id: accountId,
          $or: [
            { kind: 'unsubscribed', key: { $in: [...contactIds] } },
            { kind: 'bounced', key: { $in: emails.map(hashOf) } },
          ],
        })
        .toArray();
      const unsubscribed = new Map(rows.filter(({ kind }) => kind === 'unsubscribed').map(({ key, at }) => [key, at]));
      const bounced = new Set(rows.filter(({ kind }) => kind === 'bounced').map(({ key }) => key));
      return {
        of: (contactId: string, email: string | null) => ({
          unsubscribedAt: unsubscribed.get(contactId),
          bounced: email !== null && bounced.has(hashOf(email)),
        }),
      };
    },
  };
}
