import { type AccountId, newId, type SegmentId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** How many contacts entered and left a segment within a quarter of an hour, which starts at `quarter`. */
export type Growth = { segmentId: SegmentId; quarter: Date; entered: number; left: number };

/** The member count changes of one transaction, kept until they are added to the counts. */
type CountChangeDocument = {
  _id: string;
  account_id: AccountId;
  /** `quarter`, `entered` and `left` are absent in a correction. */
  changes: { segment_id: SegmentId; by: number; quarter?: Date; entered?: number; left?: number }[];
  /** When the memberships changed. */
  at: Date;
};

export type CountChange = {
  id: string;
  accountId: AccountId;
  changes: { segmentId: SegmentId; by: number; growth: Growth | undefined }[];
  at: Date;
};

export type CountChangesStore = ReturnType<typeof createCountChangesStore>;

/** Owns the `count_changes` collection, a journal over all accounts. */
export function createCountChangesStore(db: Db) {
  const journal = db.collection<CountChangeDocument>('count_changes');

  return {
    prepare: () => prepareCollection(journal, [{ key: { account_id: 1 } }], db),

    async add(tx: Transaction, accountId: AccountId, growth: readonly Growth[], at: Date) {
      const rows = growth.map(({ segmentId, quarter, entered, left }) => ({
        segment_id: segmentId,
        by: entered - left,
        ...{ quarter, entered, left },
      }));
      await journal.insertOne({ _id: newId('event'), account_id: accountId, changes: rows, at }, { session: tx.session });
    },

    /** Corrects a count without a change of a membership. */
    async correct(tx: Transaction, accountId: AccountId, segmentId: SegmentId, { by, at }: { by: number; at: Date }) {
      const row = { _id: newId('event'), account_id: accountId, changes: [{ segment_id: segmentId, by }], at };
      await journal.insertOne(row, { session: tx.session });
    },

    hasAny: async () => (await journal.findOne({}, { projection: { _id: 1 } })) !== null,

    /** The oldest changes, of any account. */
    async oldest(tx: Transaction, limit: number): Promise<CountChange[]> {
      return (await journal.find({}, { session: tx.session }).sort({ _id: 1 }).limit(limit).toArray()).map(changeOf);
    },

    async of(accountId: AccountId, tx?: Transaction): Promise<CountChange[]> {
      return (await journal.find({ account_id: accountId }, tx && { session: tx.session }).toArray()).map(changeOf);
    },

    async remove(tx: Transaction, ids: readonly string[]) {
      await journal.deleteMany({ _id: { $in: [...ids] } }, { session: tx.session });
    },
  };
}

const changeOf = ({ _id, account_id, changes, at }: CountChangeDocument): CountChange => ({
  id: _id,
  accountId: account_id,
  changes: changes.map(({ segment_id, by, quarter, entered = 0, left = 0 }) => ({
    segmentId: segment_id,
    by,
    growth: quarter && { segmentId: segment_id, quarter, entered, left },
  })),
  at,
});
