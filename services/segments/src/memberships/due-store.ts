import { randomUUID } from 'node:crypto';
import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** When the passage of time alone will next change whether a contact is in a segment. */
type DueDocument = {
  _id: string;
  account_id: AccountId;
  segment_id: SegmentId;
  contact_id: ContactId;
  due_at: Date;
  /** The lease of the process that works on it, and when it expires. */
  claim: string | null;
  leased_until: Date;
};

export type Due = { id: string; accountId: AccountId; segmentId: SegmentId; contactId: ContactId };
export type DueChange = { segmentId: SegmentId; contactId: ContactId; dueAt: Date | null };

export type DueStore = ReturnType<typeof createDueStore>;

const leaseMs = 30_000;
const free = new Date(0);
const idOf = (segmentId: SegmentId, contactId: ContactId) => `${segmentId} ${contactId}`;

/** Owns the `due` collection, a work queue over all accounts. */
export function createDueStore(db: Db) {
  const due = db.collection<DueDocument>('due');
  return {
    prepare: () => prepareCollection(due, [{ key: { due_at: 1 } }, { key: { account_id: 1, contact_id: 1 } }, { key: { claim: 1 } }], db),

    /** Sets or removes the due time of each pair. */
    async change(tx: Transaction, accountId: AccountId, changes: readonly DueChange[]) {
      const kept = changes.flatMap(({ dueAt, ...pair }) => (dueAt === null ? [] : [{ ...pair, dueAt }]));
      const removed = changes.filter(({ dueAt }) => dueAt === null).map(({ segmentId, contactId }) => idOf(segmentId, contactId));
      if (removed.length > 0) await due.deleteMany({ _id: { $in: removed }, account_id: accountId }, { session: tx.session });
      if (kept.length === 0) return;
      await due.bulkWrite(
        kept.map(({ segmentId, contactId, dueAt }) => ({
          updateOne: {
            filter: { _id: idOf(segmentId, contactId), account_id: accountId },
            update: { $set: { segment_id: segmentId, contact_id: contactId, due_at: dueAt, claim: null, leased_until: free } },
            upsert: true,
          },
        })),
        { session: tx.session },
      );
    },

    async removeContact(tx: Transaction, accountId: AccountId, contactId: ContactId) {
      await due.deleteMany({ account_id: accountId, contact_id: contactId }, { session: tx.session });
    },

    /** How long the earliest due pair is overdue, in seconds; 0 when none is. */
    async overdueSeconds(now: Date): Promise<number> {
      const first = await due.findOne({ due_at: { $lte: now } }, { sort: { due_at: 1 }, projection: { due_at: 1 } });
      return first ? (now.getTime() - first.due_at.getTime()) / 1_000 : 0;
    },

    /** Leases up to `limit` due pairs. Another process gets them only if the lease expires. */
    async claim(now: Date, limit: number): Promise<Due[]> {
      const open = { due_at: { $lte: now }, leased_until: { $lte: new Date() } };
      const candidates = await due.find(open).sort({ due_at: 1 }).limit(limit).project<{ _id: string }>({ _id: 1 }).toArray();
      if (candidates.length === 0) return [];
      const claim = randomUUID();
      const leased_until = new Date(Date.now() + leaseMs);
      await due.updateMany({ _id: { $in: candidates.map(({ _id }) => _id) }, ...open }, { $set: { claim, leased_until } });
      const claimed = await due.find({ claim }).toArray();
      return claimed.map((row) => ({ id: row._id, accountId: row.account_id, segmentId: row.segment_id, contactId: row.contact_id }));
    },

    /** Whether the pair is still due, read in the transaction that will evaluate it. */
    async isDue(tx: Transaction, { id, accountId }: Due, now: Date) {
      return (await due.findOne({ _id: id, account_id: accountId, due_at: { $lte: now } }, { session: tx.session })) !== null;
    },

    /** The next due time, of any account. */
    async next(): Promise<Date | undefined> {
      return (await due.findOne({}, { sort: { due_at: 1 }, projection: { due_at: 1 } }))?.due_at;
    },

    async of(accountId: AccountId, contactId: ContactId) {
      const rows = await due.find({ account_id: accountId, contact_id: contactId }).toArray();
      return rows.map(({ segment_id, due_at }) => ({ segmentId: segment_id, dueAt: due_at }));
    },
  };
}
