import type { AccountId, ContactId } from '@mp/ids';
import { nextDue } from '@mp/service-kit/job-lease';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** Data of a deleted contact to remove in the background, because it may be more than a transaction can hold. */
type LeftoversDocument = { _id: string; account_id: AccountId; contact_ids: ContactId[]; due_at: Date; rounds: number };

export type Leftovers = { id: string; accountId: AccountId; contactIds: ContactId[] };
export type LeftoversStore = ReturnType<typeof createLeftoversStore>;

/** Twice, because an event in transit when the contact was deleted may still add data. */
const rounds = 2;
const secondRoundMs = 2 * 60_000;
const leaseMs = 30_000;

/** Owns the `leftovers` collection. */
export function createLeftoversStore(db: Db) {
  const leftovers = db.collection<LeftoversDocument>('leftovers');

  return {
    prepare: () => prepareCollection(leftovers, [{ name: 'due', key: { due_at: 1 } }], db),

    async add(tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[], now = new Date()) {
      const [_id = ''] = contactIds;
      await leftovers.insertOne(
        { _id, account_id: accountId, contact_ids: [...contactIds], due_at: now, rounds: 0 },
        { session: tx.session },
      );
    },

    /** Leases the next due entry to this process for 30 seconds. */
    async claim(now = new Date()): Promise<Leftovers | undefined> {
      const row = await leftovers.findOneAndUpdate(...nextDue(now, leaseMs));
      return row ? { id: row._id, accountId: row.account_id, contactIds: row.contact_ids } : undefined;
    },

    async cleared(id: string, now = new Date()) {
      const row = await leftovers.findOneAndUpdate(
        { _id: id },
        { $inc: { rounds: 1 }, $set: { due_at: new Date(now.getTime() + secondRoundMs) } },
        { returnDocument: 'after' },
      );
      if ((row?.rounds ?? 0) >= rounds) await leftovers.deleteOne({ _id: id });
    },
  };
}
