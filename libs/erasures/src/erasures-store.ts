import type { AccountId, ContactId } from '@mp/ids';
import { backoff } from '@mp/service-kit/backoff';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** An erasure that contacts requested and this service has not confirmed yet. */
type ErasureDocument = {
  _id: string;
  account_id: AccountId;
  contact_id: ContactId;
  contact_ids: ContactId[];
  correlation_id: string;
  /** Time of the next attempt, and number of failed ones. */
  due_at: Date;
  failures: number;
  /** Records removed so far, by kind, in attempts before the confirmation. */
  removed?: Record<string, number>;
};

export type RequestedErasure = { id: string; accountId: AccountId; contactId: ContactId; contactIds: ContactId[]; correlationId: string };
export type ErasuresStore = ReturnType<typeof createErasuresStore>;

const postponeMs = { first: 2_000, max: 60_000 };

/** The erasures that a service still has to carry out and confirm: a short queue over all accounts. */
export function createErasuresStore(db: Db) {
  const erasures = db.collection<ErasureDocument>('erasures');

  return {
    prepare: () => prepareCollection(erasures, [{ key: { account_id: 1 } }, { name: 'queue', key: { due_at: 1 } }], db),

    /** Adds an erasure. One that is requested again is confirmed again. */
    async add(tx: Transaction, { id, accountId, contactId, contactIds, correlationId }: RequestedErasure, now = new Date()) {
      await erasures.updateOne(
        { _id: id, account_id: accountId },
        { $set: { contact_id: contactId, contact_ids: contactIds, correlation_id: correlationId, due_at: now, failures: 0 } },
        { upsert: true, session: tx.session },
      );
    },

    /** The erasures that are due, oldest first. */
    async open(limit: number, now = new Date()): Promise<RequestedErasure[]> {
      const rows = await erasures
        .find({ due_at: { $lte: now } })
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray();
      return rows.map(({ _id, account_id, contact_id, contact_ids, correlation_id }) => ({
        id: _id,
        accountId: account_id,
        contactId: contact_id,
        contactIds: contact_ids,
        correlationId: correlation_id,
      }));
    },

    /** Postpones an erasure that cannot be confirmed yet, with a delay that grows with the failures. */
    async postpone(id: string, now = new Date()) {
      const row = await erasures.findOneAndUpdate({ _id: id }, { $inc: { failures: 1 } });
      if (!row) return;
      const due_at = new Date(now.getTime() + backoff(row.failures, postponeMs.first, postponeMs.max));
      await erasures.updateOne({ _id: id }, { $set: { due_at } });
    },

    /** Records how much was removed, which cannot be counted again later, for the confirmation. */
    async removed(id: string, counts: Record<string, number>) {
      const $inc = Object.fromEntries(Object.entries(counts).map(([name, count]) => [`removed.${name}`, count]));
      await erasures.updateOne({ _id: id }, { $inc });
    },

    /** Ends an erasure and returns the removed counts; undefined when it was already confirmed and must not be published again. */
    async confirmed(tx: Transaction, id: string): Promise<Record<string, number> | undefined> {
      const row = await erasures.findOneAndDelete({ _id: id }, { session: tx.session });
      return row ? (row.removed ?? {}) : undefined;
    },
  };
}
