import type { AccountId, ContactId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type IdentifiedFieldsDocument = { _id: ContactId; account_id: AccountId; at: Date; fields: { path: string; key: string }[] };

export type IdentifiedFieldsStore = ReturnType<typeof createIdentifiedFieldsStore>;

/** As long as events stay in the streams. */
const keepSeconds = 7 * 24 * 60 * 60;

/**
 * Owns the `identified_fields` collection: the latest call to the Segment-compatible API that set each field of a contact. Calls
 * may arrive out of order: in two lanes, in two processes, or again. Their keys are in the order in which they were received.
 */
export function createIdentifiedFieldsStore(db: Db) {
  const identified = db.collection<IdentifiedFieldsDocument>('identified_fields');
  return {
    prepare: () =>
      prepareCollection(
        identified,
        [
          { name: 'account', key: { account_id: 1 } },
          { name: 'expiry', key: { at: 1 }, expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** The fields that a later call has set. */
    async laterThan(tx: Transaction, accountId: AccountId, contactId: ContactId, key: string): Promise<ReadonlySet<string>> {
      const row = await identified.findOne({ _id: contactId, account_id: accountId }, { session: tx.session });
      return new Set(row?.fields.filter((field) => field.key > key).map(({ path }) => path));
    },

    async note(tx: Transaction, accountId: AccountId, contactId: ContactId, { key, paths }: { key: string; paths: readonly string[] }) {
      const own = { _id: contactId, account_id: accountId };
      const row = await identified.findOne(own, { session: tx.session });
      const others = row?.fields.filter(({ path }) => !paths.includes(path)) ?? [];
      const fields = [...others, ...paths.map((path) => ({ path, key }))];
      await identified.updateOne(own, { $set: { fields, at: new Date() } }, { session: tx.session, upsert: true });
    },
  };
}
