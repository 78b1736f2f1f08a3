import type { AccountId, SegmentId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Growth } from './count-changes-store.ts';

/** How many contacts entered and left a segment within a quarter of an hour. */
type GrowthDocument = { _id: string; account_id: AccountId; segment_id: SegmentId; quarter: Date; entered: number; left: number };

export type GrowthStore = ReturnType<typeof createGrowthStore>;

/** The days of every current time zone start at a multiple of this. */
export const quarterMs = 15 * 60 * 1_000;

export const quarterOf = (moment: Date): Date => new Date(Math.floor(moment.getTime() / quarterMs) * quarterMs);

const idOf = ({ segmentId, quarter }: Growth) => `${segmentId} ${quarter.getTime()}`;

/** Owns the `segment_growth` collection. Every query names the account. */
export function createGrowthStore(db: Db) {
  const growth = db.collection<GrowthDocument>('segment_growth');
  const ofSegment = (accountId: AccountId, segmentId: SegmentId) => ({ account_id: accountId, segment_id: segmentId });

  return {
    prepare: () => prepareCollection(growth, [{ name: 'segment', key: { account_id: 1, segment_id: 1, quarter: 1 } }], db),

    async add(tx: Transaction, changes: readonly (Growth & { accountId: AccountId })[]) {
      if (changes.length === 0) return;
      await growth.bulkWrite(
        changes.map((change) => ({
          updateOne: {
            filter: { _id: idOf(change), account_id: change.accountId },
            update: {
              $inc: { entered: change.entered, left: change.left },
              $setOnInsert: { segment_id: change.segmentId, quarter: change.quarter },
            },
            upsert: true,
          },
        })),
        { session: tx.session, ordered: false },
      );
    },

    async remove(tx: Transaction, accountId: AccountId, segmentId: SegmentId) {
      await growth.deleteMany(ofSegment(accountId, segmentId), { session: tx.session });
    },

    /** The number of members at the start of an interval. */
    async sizeAt(accountId: AccountId, segmentId: SegmentId, at: Date): Promise<number> {
      const [total] = await growth
        .aggregate<{ size: number }>([
          { $match: { ...ofSegment(accountId, segmentId), quarter: { $lt: at } } },
          { $group: { _id: null, size: { $sum: { $subtract: ['$entered', '$left'] } } } },
        ])
        .toArray();
      return total?.size ?? 0;
    },

    /** The quarters of an hour from `from` until `to` in which a contact entered or left, in order. */
    async between(accountId: AccountId, segmentId: SegmentId, from: Date, to: Date) {
      const rows = await growth
        .find({ ...ofSegment(accountId, segmentId), quarter: { $gte: from, $lt: to } })
        .sort({ quarter: 1 })
        .toArray();
      return rows.map(({ quarter, entered, left }) => ({ quarter, entered, left }));
    },
  };
}
