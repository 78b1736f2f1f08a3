import { emailKey } from '@mp/contracts/contact';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** As much of a contact as workflows need; `deleted` stays, so that a late event cannot bring one back: only a higher revision can. */
type ContactDocument = { _id: string; account_id: string; email_key: string | null; revision: number; deleted?: true };

export type KnownContact = { id: string; email_key: string | null; revision: number };
export type ContactsStore = ReturnType<typeof createContactsStore>;

/** The only place that knows the `contacts` collection: a projection of the contacts service's events. */
export function createContactsStore(db: Db) {
  const contacts = db.collection<ContactDocument>('contacts');

  return {
    prepare: () => prepareCollection(contacts, [{ key: { account_id: 1, email_key: 1 } }, { key: { account_id: 1, _id: 1 } }], db),

    /** Writes over an older revision only. */
    async keep(tx: Transaction, accountId: string, { id, email, revision }: { id: string; email: string | null; revision: number }) {
      const known = await contacts.findOne({ _id: id, account_id: accountId }, { session: tx.session });
      if (known && known.revision >= revision) return;
      await contacts.updateOne(
        { _id: id, account_id: accountId },
        { $set: { email_key: email === null ? null : emailKey(email), revision }, $unset: { deleted: '' } },
        { session: tx.session, upsert: true },
      );
    },

    /** Leaves nothing but the id and a revision above every one before. */
    async forget(tx: Transaction, accountId: string, id: string, revision: number) {
      const known = await contacts.findOne({ _id: id, account_id: accountId }, { session: tx.session });
      if (known && known.revision >= revision) return;
      await contacts.updateOne(
        { _id: id, account_id: accountId },
        { $set: { email_key: null, revision, deleted: true } },
        { session: tx.session, upsert: true },
      );
    },

    /** Whether it is known to be deleted. */
    async isDeleted(accountId: string, id: string, tx: Transaction): Promise<boolean> {
      const known = await contacts.findOne({ _id: id, account_id: accountId }, { session: tx.session, projection: { deleted: 1 } });
      return known?.deleted === true;
    },

    /** Those of the named contacts that have been heard of, deleted ones under their id with `deleted`. */
    async find(accountId: string, ids: readonly string[], emailKeys: readonly string[]): Promise<(KnownContact & { deleted: boolean })[]> {
      const found = await contacts
        .find({ account_id: accountId, $or: [{ _id: { $in: [...ids] } }, { email_key: { $in: [...emailKeys] } }] })
        .toArray();
      return found.map(({ _id, email_key, revision, deleted }) => ({ id: _id, email_key, revision, deleted: deleted === true }));
    },
  };
}
