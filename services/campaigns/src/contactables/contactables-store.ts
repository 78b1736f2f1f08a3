import type { Contact } from '@mp/contracts/contact';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** `contact` is null once the contact was deleted: the tombstone keeps late events from bringing it back. */
type ContactableDocument = { _id: string; account_id: string; revision: number; contact: Contact | null };

export type ContactablesStore = ReturnType<typeof createContactablesStore>;

/** The projection of contacts: what consent checks and templates ask for. It can be thrown away; contacts has it all. */
export function createContactablesStore(db: Db) {
  const contactables = db.collection<ContactableDocument>('contactables');

  return {
    prepare: () => prepareCollection(contactables, [{ key: { account_id: 1, _id: 1 } }], db),

    /** Writes over an older revision only, so that events may arrive in any order. */
    async put(tx: Transaction, accountId: string, id: string, revision: number, contact: Contact | null) {
      const { session } = tx;
      const known = await contactables.findOne({ _id: id, account_id: accountId }, { session, projection: { revision: 1 } });
      if (known && known.revision >= revision) return;
      const document = { account_id: accountId, revision, contact };
      if (known) await contactables.replaceOne({ _id: id, account_id: accountId }, document, { session });
      else await contactables.insertOne({ _id: id, ...document }, { session });
    },

    /** Keeps answers of contacts, guarded as events are. */
    async keep(accountId: string, contacts: readonly Contact[]) {
      if (contacts.length === 0) return;
      const writes = contacts.map((contact) => ({
        updateOne: {
          filter: { _id: contact.id, account_id: accountId, revision: { $lt: contact.revision } },
          update: { $set: { revision: contact.revision, contact } },
          upsert: true,
        },
      }));
      // A duplicate key means that this revision or a newer one is there already.
      await contactables.bulkWrite(writes, { ordered: false }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    },

    /** What is known of these contacts: the contact, or null for a deleted one. Those not heard of yet are left out. */
    async find(accountId: string, ids: readonly string[], tx?: Transaction): Promise<Map<string, Contact | null>> {
      const rows = await contactables.find({ account_id: accountId, _id: { $in: [...ids] } }, tx && { session: tx.session }).toArray();
      return new Map(rows.map(({ _id, contact }) => [_id, contact]));
    },
  };
}
