import type { AccountId, SegmentId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

export type UserType = 'campaign' | 'workflow';

/** A campaign or workflow, and the segments it uses as of a revision. */
export type Reference = { type: UserType; id: string; name: string; revision: number; segmentIds: readonly SegmentId[] };

type ReferenceDocument = {
  _id: string;
  account_id: AccountId;
  type: UserType;
  name: string;
  revision: number;
  segment_ids: SegmentId[];
  /** Set when it stops using segments. The row is kept for a while, so that a late event changes nothing. */
  unused_at?: Date;
};

export type ReferencesStore = ReturnType<typeof createReferencesStore>;

/** Far longer than an event can be delayed. */
const unusedSeconds = 30 * 24 * 60 * 60;

/** Owns the `references` collection. Every query names the account. */
export function createReferencesStore(db: Db) {
  const references = db.collection<ReferenceDocument>('references');

  return {
    prepare: () =>
      prepareCollection(
        references,
        [
          { name: 'segments', key: { account_id: 1, segment_ids: 1 } },
          { name: 'expiry', key: { unused_at: 1 }, expireAfterSeconds: unusedSeconds },
        ],
        db,
      ),

    /** Does nothing if this revision or a newer one is known. */
    async keep(tx: Transaction, accountId: AccountId, { id, type, name, revision, segmentIds }: Reference) {
      const own = { _id: id, account_id: accountId };
      const known = await references.findOne(own, { session: tx.session, projection: { revision: 1 } });
      if (known && known.revision >= revision) return;
      const unused = segmentIds.length === 0 ? { unused_at: new Date() } : {};
      const row = { account_id: accountId, type, name, revision, segment_ids: [...segmentIds], ...unused };
      await references.replaceOne(own, row, { session: tx.session, upsert: true });
    },

    async using(tx: Transaction, accountId: AccountId, segmentId: SegmentId, limit: number) {
      const rows = await references
        .find({ account_id: accountId, segment_ids: segmentId }, { session: tx.session })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return rows.map(({ _id, type, name }) => ({ type, id: _id, name }));
    },
  };
}
