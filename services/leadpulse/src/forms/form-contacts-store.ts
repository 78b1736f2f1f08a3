import type { AccountId, ContactId, FormId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** A contact that a form created. */
export type FormContact = { contact_id: ContactId; form_id: FormId; at: Date };

type FormContactDocument = FormContact & { _id: string; account_id: AccountId; expires_at?: Date };

/** Longer than the clearing of a contact's events takes, which still needs the row. */
const keptAfterDeletionMs = 24 * 60 * 60_000;

export type FormContactsStore = ReturnType<typeof createFormContactsStore>;

/** Which form created each contact. A contact is created once, so by at most one form. */
export function createFormContactsStore(db: Db) {
  const rows = db.collection<FormContactDocument>('form_contacts');
  const idOf = (accountId: AccountId, contactId: ContactId) => `${accountId} ${contactId}`;

  return {
    prepare: () =>
      prepareCollection(
        rows,
        [
          { name: 'of_form', key: { account_id: 1, form_id: 1, contact_id: 1 } },
          { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
        ],
        db,
      ),

    async add(tx: Transaction, accountId: AccountId, { contact_id, form_id, at }: FormContact) {
      await rows.updateOne(
        { _id: idOf(accountId, contact_id), account_id: accountId },
        { $setOnInsert: { contact_id, form_id, at } },
        { session: tx.session, upsert: true },
      );
    },

    /** Contacts that a form created, in the order of their IDs. */
    async page(accountId: AccountId, formId: FormId, { after, limit }: { after: ContactId | undefined; limit: number }) {
      const found: FormContact[] = await rows
        .find({ account_id: accountId, form_id: formId, ...(after !== undefined && { contact_id: { $gt: after } }) })
        .sort({ contact_id: 1 })
        .limit(limit)
        .toArray();
      return found;
    },

    /** Those of these contacts that a form created. */
    async of(accountId: AccountId, contactIds: readonly ContactId[]): Promise<FormContact[]> {
      return rows.find({ _id: { $in: contactIds.map((id) => idOf(accountId, id)) }, account_id: accountId }).toArray();
    },

    /** Removes them, once their events are cleared. */
    async expire(tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[], now = new Date()) {
      await rows.updateMany(
        { _id: { $in: contactIds.map((id) => idOf(accountId, id)) }, account_id: accountId },
        { $set: { expires_at: new Date(now.getTime() + keptAfterDeletionMs) } },
        { session: tx.session },
      );
    },
  };
}
