import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type SequenceDocument = { _id: string; account_id: AccountId; last: number };

export type SequencesStore = ReturnType<typeof createSequencesStore>;

/**
 * The number of each contact's last membership change, in any segment. It outlives the profile, because consumers of the
 * events rely on it to increase. A transaction that changes memberships has touched the profile, so no other one counts
 * concurrently.
 */
export function createSequencesStore(db: Db) {
  const sequences = db.collection<SequenceDocument>('sequences');

  async function takeOne(tx: Transaction, accountId: AccountId, _id: string, count: number): Promise<number> {
    const before = await sequences.findOneAndUpdate(
      { _id, account_id: accountId },
      { $inc: { last: count } },
      { session: tx.session, upsert: true, returnDocument: 'before' },
    );
    return before?.last ?? 0;
  }

  return {
    prepare: () => prepareCollection(sequences, [{ key: { account_id: 1 } }], db),

    /** Takes as many numbers as each contact needs and returns the last one taken before. */
    async take(tx: Transaction, accountId: AccountId, needed: ReadonlyMap<string, number>): Promise<Map<string, number>> {
      const [only] = needed;
      if (only && needed.size === 1) return new Map([[only[0], await takeOne(tx, accountId, ...only)]]);
      const rows = await sequences.find({ _id: { $in: [...needed.keys()] }, account_id: accountId }, { session: tx.session }).toArray();
      const last = new Map(rows.map((row) => [row._id, row.last]));
      await sequences.bulkWrite(
        [...needed].map(([_id, count]) => ({
          updateOne: { filter: { _id, account_id: accountId }, update: { $inc: { last: count } }, upsert: true },
        })),
        { session: tx.session },
      );
      return last;
    },
  };
}
