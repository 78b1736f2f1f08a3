import type { Db } from 'mongodb';
import { prepareCollection, type Transaction } from './mongo.ts';

/** An erasure that contacts asked for and that is not confirmed yet. */
type ErasureDocument = { _id: string; account_id: string; contact_id: string; contact_ids: string[]; correlation_id: string };

export type AskedErasure = { id: string; accountId: string; contactId: string; contactIds: string[]; correlationId: string };
export type ErasuresStore = ReturnType<typeof createErasuresStore>;

/** What a service that keeps something of contacts still has to erase and confirm: a short queue over all accounts. */
export function createErasuresStore(db: Db) {
  const erasures = db.collection<ErasureDocument>('erasures');

  return {
    prepare: () => prepareCollection(erasures, [{ key: { account_id: 1 } }], db),

    /** Asked again, it is confirmed again. */
    async add(tx: Transaction, { id, accountId, contactId, contactIds, correlationId }: AskedErasure) {
      await erasures.updateOne(
        { _id: id, account_id: accountId },
        { $set: { contact_id: contactId, contact_ids: contactIds, correlation_id: correlationId } },
        { upsert: true, session: tx.session },
      );
    },

    async open(limit: number): Promise<AskedErasure[]> {
      const rows = await erasures.find().limit(limit).toArray();
      return rows.map(({ _id, account_id, contact_id, contact_ids, correlation_id }) => ({
        id: _id,
        accountId: account_id,
        contactId: contact_id,
        contactIds: contact_ids,
        correlationId: correlation_id,
      }));
    },

    async confirmed(tx: Transaction, id: string) {
      await erasures.deleteOne({ _id: id }, { session: tx.session });
    },
  };
}
