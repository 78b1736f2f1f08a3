import type { AccountId, VisitorId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type VisitorDeletionDocument = { _id: VisitorId; account_id: AccountId; requested_at: Date };

export type VisitorDeletionsStore = ReturnType<typeof createVisitorDeletionsStore>;

/** Owns the `visitor_deletions` collection: deleted visitors whose events and sessions are still to be deleted. */
export function createVisitorDeletionsStore(db: Db) {
  const deletions = db.collection<VisitorDeletionDocument>('visitor_deletions');

  return {
    prepare: () => prepareCollection(deletions, [{ name: 'account', key: { account_id: 1 } }], db),

    async add(tx: Transaction, accountId: AccountId, visitor: VisitorId) {
      await deletions.insertOne({ _id: visitor, account_id: accountId, requested_at: new Date() }, { session: tx.session });
    },

    /** The queue of all accounts. */
    async next(): Promise<{ accountId: AccountId; visitor: VisitorId } | undefined> {
      const row = await deletions.findOne({}, { sort: { _id: 1 } });
      return row ? { accountId: row.account_id, visitor: row._id } : undefined;
    },

    async done(accountId: AccountId, visitor: VisitorId) {
      await deletions.deleteOne({ _id: visitor, account_id: accountId });
    },
  };
}
