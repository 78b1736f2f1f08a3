import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import { nextDue } from '@mp/service-kit/job-lease';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** A contact to be added to a static segment, once segments replies. */
type AdditionDocument = {
  _id: string;
  account_id: AccountId;
  contact_id: ContactId;
  segment_id: SegmentId;
  created_at: Date;
  due_at: Date;
};

/** `id` is of the submission or the request for confirmation that adds it. */
export type Addition = { id: string; accountId: AccountId; contactId: ContactId; segmentId: SegmentId };

const leaseMs = 30_000;

export type AdditionsStore = ReturnType<typeof createAdditionsStore>;

export function createAdditionsStore(db: Db) {
  const additions = db.collection<AdditionDocument>('form_additions');

  return {
    prepare: () => prepareCollection(additions, [{ name: 'due', key: { due_at: 1 } }, { key: { account_id: 1 } }], db),

    add: (tx: Transaction, { id, accountId, contactId, segmentId }: Addition, now: Date) =>
      additions.updateOne(
        { _id: id, account_id: accountId },
        { $setOnInsert: { contact_id: contactId, segment_id: segmentId, created_at: now, due_at: now } },
        { upsert: true, session: tx.session },
      ),

    /** Leases the next due addition to this process. */
    async claim(now: Date): Promise<(Addition & { createdAt: Date }) | undefined> {
      const row = await additions.findOneAndUpdate(...nextDue(now, leaseMs));
      if (!row) return undefined;
      const { _id: id, account_id: accountId, contact_id: contactId, segment_id: segmentId, created_at: createdAt } = row;
      return { id, accountId, contactId, segmentId, createdAt };
    },

    postpone: ({ id, accountId }: Addition, until: Date) =>
      additions.updateOne({ _id: id, account_id: accountId }, { $set: { due_at: until } }),

    remove: ({ id, accountId }: Addition) => additions.deleteOne({ _id: id, account_id: accountId }),
  };
}
