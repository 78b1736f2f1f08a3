import { type Contact, emailKey } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { emailKeys } from '../contacts/contact-document.ts';

type DeletedContactDocument = {
  _id: ContactId;
  account_id: AccountId;
  contact: Contact;
  merged_ids: ContactId[];
  email_key: string | null;
  restorable_until: Date;
};

/** A deleted contact as it was. `mergedIds` are the contacts that had been merged into it. */
export type DeletedContact = { contact: Contact; mergedIds: ContactId[]; restorableUntil: Date };
export type DeletedContactsStore = ReturnType<typeof createDeletedContactsStore>;

/** Owns the `deleted_contacts` collection: what is needed to restore a deleted contact. */
export function createDeletedContactsStore(db: Db) {
  const deleted = db.collection<DeletedContactDocument>('deleted_contacts');

  return {
    prepare: () =>
      prepareCollection(
        deleted,
        [
          { name: 'restorable_until', key: { restorable_until: 1 } },
          { name: 'email', key: { account_id: 1, email_key: 1 } },
          { name: 'merged', key: { account_id: 1, merged_ids: 1 } },
        ],
        db,
      ),

    async add(tx: Transaction, accountId: AccountId, { contact, mergedIds, restorableUntil }: DeletedContact) {
      const row: DeletedContactDocument = {
        _id: contact.id,
        account_id: accountId,
        contact,
        merged_ids: mergedIds,
        email_key: contact.email === null ? null : emailKey(contact.email),
        restorable_until: restorableUntil,
      };
      await deleted.insertOne(row, { session: tx.session });
    },

    /** By its id, or by the id of a contact that had been merged into it. */
    async find(accountId: AccountId, id: ContactId, tx: Transaction): Promise<DeletedContact | undefined> {
      const of = (where: object) => deleted.findOne({ account_id: accountId, ...where }, { session: tx.session });
      const row = (await of({ _id: id })) ?? (await of({ merged_ids: id }));
      return row ? viewOf(row) : undefined;
    },

    /** Removes the record and returns it; undefined if there is none, because it was restored or its time is over. */
    async take(tx: Transaction, accountId: AccountId, id: ContactId): Promise<DeletedContact | undefined> {
      const row = await deleted.findOneAndDelete({ _id: id, account_id: accountId }, { session: tx.session });
      return row ? viewOf(row) : undefined;
    },

    /** Ids of the deleted contacts that had one of these addresses. */
    async withEmails(tx: Transaction, accountId: AccountId, emails: readonly string[]): Promise<ContactId[]> {
      const rows = await deleted
        .find({ account_id: accountId, email_key: { $in: emailKeys(emails) } }, { session: tx.session, projection: { _id: 1 } })
        .toArray();
      return rows.map(({ _id }) => _id);
    },

    async setConsent(tx: Transaction, accountId: AccountId, id: ContactId, consent: Contact['consent']) {
      await deleted.updateOne({ _id: id, account_id: accountId }, { $set: { 'contact.consent': consent } }, { session: tx.session });
    },

    /** Contacts that can no longer be restored. */
    async over(limit: number, now = new Date()): Promise<{ accountId: AccountId; id: ContactId }[]> {
      const rows = await deleted
        .find({ restorable_until: { $lte: now } }, { projection: { account_id: 1 } })
        .sort({ restorable_until: 1 })
        .limit(limit)
        .toArray();
      return rows.map(({ _id, account_id }) => ({ accountId: account_id, id: _id }));
    },
  };
}

const viewOf = ({ contact, merged_ids, restorable_until }: DeletedContactDocument): DeletedContact => ({
  contact,
  mergedIds: merged_ids,
  restorableUntil: restorable_until,
});
