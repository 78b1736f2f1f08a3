import type { Contact } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** `contact` is null once the contact is deleted; this tombstone keeps late events from restoring it. */
type ContactableDocument = { _id: ContactId; account_id: AccountId; revision: number; contact: Contact | null };

export type ContactablesStore = ReturnType<typeof createContactablesStore>;

/** The projection of contacts that consent checks and templates read. It can be rebuilt from the contacts service. */
export function createContactablesStore(db: Db) {
  const contactables = db.collection<ContactableDocument>('contactables');

  return {
    prepare: () => prepareCollection(contactables, [{ key: { account_id: 1, _id: 1 } }], db),

    /** Overwrites only an older revision, so that events may arrive in any order. */
    async put(
      tx: Transaction,
      accountId: AccountId,
      { id, revision, contact }: { id: ContactId; revision: number; contact: Contact | null },
    ) {
      const { session } = tx;
      const known = await contactables.findOne({ _id: id, account_id: accountId }, { session, projection: { revision: 1 } });
      if (known && known.revision >= revision) return;
      const document = { account_id: accountId, revision, contact };
      if (known) await contactables.replaceOne({ _id: id, account_id: accountId }, document, { session });
      else await contactables.insertOne({ _id: id, ...document }, { session });
    },

    /** Stores contacts from a reply of the contacts service; like events, they overwrite only older revisions. */
    async keep(accountId: AccountId, contacts: readonly Contact[]) {
      if (contacts.length === 0) return;
      const writes = contacts.map((contact) => ({
        updateOne: {
          filter: { _id: contact.id, account_id: accountId, revision: { $lt: contact.revision } },
          update: { $set: { revision: contact.revision, contact } },
          upsert: true,
        },
      }));
      // A duplicate key means that this revision or a newer one is already stored.
      await contactables.bulkWrite(writes, { ordered: false }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    },

    /** Returns the known contacts by ID, null for deleted ones. Contacts without an event so far are missing from the map. */
    async find(accountId: AccountId, ids: readonly ContactId[], tx?: Transaction): Promise<Map<ContactId, Contact | null>> {
      const rows = await contactables.find({ account_id: accountId, _id: { $in: [...ids] } }, tx && { session: tx.session }).toArray();
      return new Map(rows.map(({ _id, contact }) => [_id, contact]));
    },
  };
}
