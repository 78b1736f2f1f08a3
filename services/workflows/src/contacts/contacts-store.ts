import { emailKey } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/**
 * The fields of a contact that workflows need. Deleted contacts are kept as `deleted`, so that only a higher revision, and
 * no late event, can restore one.
 */
type ContactDocument = {
  _id: ContactId;
  account_id: AccountId;
  email_key: string | null;
  revision: number;
  deleted?: true;
  /** The contact that a deleted one was merged into. */
  merged_into?: ContactId;
  /** Written only to conflict with a concurrent change of the contact. */
  touched?: number;
};

export type KnownContact = { id: ContactId; email_key: string | null; revision: number };
export type ContactsStore = ReturnType<typeof createContactsStore>;

/** More merges than a contact can have; a longer chain must be a cycle. */
const maxMerges = 100;

/** The only code that accesses the `contacts` collection, a projection of the contacts service's events. */
export function createContactsStore(db: Db) {
  const contacts = db.collection<ContactDocument>('contacts');

  /** The current id of the contact: its own, or that of the contact it was merged into. Undefined when it is deleted. */
  async function survivorOf(accountId: AccountId, id: ContactId, tx?: Transaction): Promise<ContactId | undefined> {
    let current = id;
    for (let merges = 0; merges <= maxMerges; merges += 1) {
      const known = await contacts.findOne(
        { _id: current, account_id: accountId },
        { projection: { deleted: 1, merged_into: 1 }, ...(tx && { session: tx.session }) },
      );
      if (!known?.deleted) return current;
      if (known.merged_into === undefined) return undefined;
      current = known.merged_into;
    }
    return undefined;
  }

  /**
   * Current ids by given id, without deleted contacts. Locks these contacts: a concurrent delete or merge happens before or
   * after this transaction, not during it.
   */
  async function lockSurvivors(tx: Transaction, accountId: AccountId, ids: readonly ContactId[]): Promise<Map<ContactId, ContactId>> {
    const find = (wanted: readonly ContactId[]) =>
      contacts.find({ _id: { $in: [...wanted] }, account_id: accountId }, { projection: { deleted: 1 }, session: tx.session }).toArray();
    const survivors = new Map(ids.map((id) => [id, id]));
    for (const { _id } of (await find(ids)).filter(({ deleted }) => deleted)) {
      const survivor = await survivorOf(accountId, _id, tx);
      if (survivor === undefined) survivors.delete(_id);
      else survivors.set(_id, survivor);
    }
    const held = [...new Set(survivors.values())];
    const { matchedCount } = await contacts.updateMany(
      { _id: { $in: held }, account_id: accountId },
      { $inc: { touched: 1 } },
      { session: tx.session },
    );
    if (matchedCount === held.length) return survivors;
    const known = new Set((await find(held)).map(({ _id }) => _id));
    const unknown = held.filter((id) => !known.has(id)).map((_id) => ({ _id, account_id: accountId, email_key: null, revision: 0 }));
    await contacts.insertMany(unknown, { session: tx.session });
    return survivors;
  }

  return {
    prepare: () => prepareCollection(contacts, [{ key: { account_id: 1, email_key: 1 } }, { key: { account_id: 1, _id: 1 } }], db),

    /** Overwrites only an older revision. `isBack`: this restores a contact that had been merged into another. */
    async keep(tx: Transaction, accountId: AccountId, { id, email, revision }: { id: ContactId; email: string | null; revision: number }) {
      const known = await contacts.findOne({ _id: id, account_id: accountId }, { session: tx.session });
      if (known && known.revision >= revision) return { isBack: false };
      await contacts.updateOne(
        { _id: id, account_id: accountId },
        { $set: { email_key: email === null ? null : emailKey(email), revision }, $unset: { deleted: '', merged_into: '' } },
        { session: tx.session, upsert: true },
      );
      return { isBack: known?.merged_into !== undefined };
    },

    /** Keeps only the id, the revision and the merge target. Returns false when a later revision is known. */
    async forget(
      tx: Transaction,
      accountId: AccountId,
      { id, revision, mergedInto }: { id: ContactId; revision: number; mergedInto?: ContactId | undefined },
    ): Promise<boolean> {
      const known = await contacts.findOne({ _id: id, account_id: accountId }, { session: tx.session });
      if (known && known.revision >= revision) return false;
      await contacts.updateOne(
        { _id: id, account_id: accountId },
        {
          $set: { email_key: null, revision, deleted: true, ...(mergedInto !== undefined && { merged_into: mergedInto }) },
          ...(mergedInto === undefined && { $unset: { merged_into: '' } }),
        },
        { session: tx.session, upsert: true },
      );
      return true;
    },

    survivorOf,

    lockSurvivors,

    lockSurvivor: async (tx: Transaction, accountId: AccountId, id: ContactId): Promise<ContactId | undefined> =>
      (await lockSurvivors(tx, accountId, [id])).get(id),

    /** The given contacts that the projection has. Deleted ones are found only by id and have `deleted`. */
    async find(
      accountId: AccountId,
      ids: readonly ContactId[],
      emailKeys: readonly string[],
    ): Promise<(KnownContact & { deleted: boolean })[]> {
      const found = await contacts
        .find({ account_id: accountId, $or: [{ _id: { $in: [...ids] } }, { email_key: { $in: [...emailKeys] } }] })
        .toArray();
      return found.map(({ _id, email_key, revision, deleted }) => ({ id: _id, email_key, revision, deleted: deleted === true }));
    },
  };
}
