import { type AccountId, trustedId } from '@mp/ids';
import { nextDue } from '@mp/service-kit/job-lease';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { AccountStatus } from '../accounts/account.ts';
import type { AccountDeletion, Receipt, ReceiptService } from './account-deletion.ts';

type AccountDeletionDocument = {
  _id: string;
  status: AccountDeletion['status'];
  status_before: AccountStatus;
  requested_at: Date;
  erase_at: Date;
  completed_at: Date | null;
  asked_at: Date | null;
  /** When the gateway processes it next; null when it is completed. */
  due_at: Date | null;
  receipts: Partial<Record<ReceiptService, Receipt>>;
};

export type AccountDeletionsStore = ReturnType<typeof createAccountDeletionsStore>;

const leaseMs = 60_000;

/** Owns the `account_deletions` collection. */
export function createAccountDeletionsStore(db: Db) {
  const deletions = db.collection<AccountDeletionDocument>('account_deletions');

  return {
    prepare: () =>
      prepareCollection(deletions, [{ key: { due_at: 1 }, name: 'queue', partialFilterExpression: { due_at: { $type: 'date' } } }], db),

    async find(accountId: AccountId, tx?: Transaction): Promise<AccountDeletion | undefined> {
      const found = await deletions.findOne({ _id: accountId }, tx && { session: tx.session });
      return found ? deletionOf(found) : undefined;
    },

    list: async (): Promise<AccountDeletion[]> => (await deletions.find().sort({ requested_at: 1, _id: 1 }).toArray()).map(deletionOf),

    async add(tx: Transaction, accountId: AccountId, { statusBefore, eraseAt }: Pick<AccountDeletion, 'statusBefore' | 'eraseAt'>) {
      await deletions.insertOne(
        {
          ...{ _id: accountId, status: 'scheduled', status_before: statusBefore, requested_at: new Date(), erase_at: eraseAt },
          ...{ completed_at: null, asked_at: null, due_at: eraseAt, receipts: {} },
        },
        { session: tx.session },
      );
    },

    /** Cancels a deletion during its grace period. False when it has begun or does not exist. */
    async cancel(tx: Transaction, accountId: AccountId): Promise<boolean> {
      const { deletedCount } = await deletions.deleteOne({ _id: accountId, status: 'scheduled' }, { session: tx.session });
      return deletedCount === 1;
    },

    /** Leases the next due deletion to this process for a minute. */
    async claim(now = new Date()): Promise<AccountDeletion | undefined> {
      const found = await deletions.findOneAndUpdate(...nextDue(now, leaseMs));
      return found ? deletionOf(found) : undefined;
    },

    /** Ends the grace period, or records that the request to the services was repeated. False when the deletion was cancelled in the meantime. */
    async markRequested(tx: Transaction, accountId: AccountId, now = new Date()): Promise<boolean> {
      const change = { $set: { status: 'running' as const, asked_at: now } };
      const { matchedCount } = await deletions.updateOne({ _id: accountId, status: { $ne: 'completed' } }, change, { session: tx.session });
      return matchedCount === 1;
    },

    /** The first receipt of each service counts. */
    async receive(tx: Transaction, accountId: AccountId, service: ReceiptService, receipt: Receipt) {
      await deletions.updateOne(
        { _id: accountId, [`receipts.${service}`]: { $exists: false } },
        { $set: { [`receipts.${service}`]: receipt, due_at: new Date() } },
        { session: tx.session },
      );
    },

    /** How long the oldest deletion that is not completed is past its grace period, in seconds; 0 if there is none. */
    async oldestOpenSeconds(now = new Date()): Promise<number> {
      const open = { due_at: { $type: 'date' as const }, erase_at: { $lte: now } };
      const oldest = await deletions.findOne(open, { sort: { erase_at: 1 }, projection: { erase_at: 1 } });
      return oldest ? (now.getTime() - oldest.erase_at.getTime()) / 1_000 : 0;
    },

    async postpone(accountId: AccountId, ms: number) {
      const change = { $set: { due_at: new Date(Date.now() + ms) } };
      await deletions.updateOne({ _id: accountId, status: { $ne: 'completed' } }, change);
    },

    async complete(accountId: AccountId, now = new Date()) {
      const change = { $set: { status: 'completed' as const, completed_at: now, due_at: null } };
      await deletions.updateOne({ _id: accountId, status: 'running' }, change);
    },
  };
}

const deletionOf = ({ _id, ...row }: AccountDeletionDocument): AccountDeletion => ({
  ...{ accountId: trustedId<'account'>(_id), status: row.status, statusBefore: row.status_before, requestedAt: row.requested_at },
  ...{ eraseAt: row.erase_at, completedAt: row.completed_at, erasureRequestedAt: row.asked_at, receipts: row.receipts },
});
