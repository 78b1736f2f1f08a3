import type { Contact } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Db } from 'mongodb';

/** `contact` is null once the contact is deleted; this tombstone keeps late events from restoring it. */
type ContactableDocument = { _id: ContactId; account_id: AccountId; revision: number; contact: Contact | null };

/** A contact as an event describes it; null once it is deleted. */
type Contactable = { account_id: AccountId; id: ContactId; revision: number; contact: Contact | null };

export type ContactablesStore = ReturnType<typeof createContactablesStore>;

/** The projection of contacts that consent checks and templates read. It can be rebuilt from the contacts service. */
export function createContactablesStore(db: Db) {
  const contactables = db.collection<ContactableDocument>('contactables');

  return {
    prepare: () => prepareCollection(contactables, [{ key: { account_id: 1, _id: 1 } }], db),

    /** Stores contacts of any accounts, each once. Overwrites only older revisions, so that events may arrive in any order. */
    async put(tx: Transaction, rows: readonly Contactable[]) {
      const { session } = tx;
      const named = { account_id: { $in: [...new Set(rows.map(({ account_id }) => account_id))] }, _id: { $in: rows.map(({ id }) => id) } };
      const found = await contactables.find(named, { session, hint: '_id_', projection: { account_id: 1, revision: 1 } }).toArray();
      const known = new Map(found.map(({ account_id, _id, revision }) => [`${account_id} ${_id}`, revision]));
      const writes = rows.flatMap(({ account_id, id, revision, contact }): AnyBulkWriteOperation<ContactableDocument>[] => {
        const before = known.get(`${account_id} ${id}`);
        const document = { account_id, revision, contact };
        if (before === undefined) return [{ insertOne: { document: { _id: id, ...document } } }];
        return before < revision ? [{ replaceOne: { filter: { _id: id, account_id }, replacement: document } }] : [];
      });
      if (writes.length > 0) await contactables.bulkWrite(writes, { session, ordered: false });
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
