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
export type AccountContact = { accountId: AccountId; contactId: ContactId };
type Changed = { accountId: AccountId; id: ContactId; email: string | null; revision: number };
export type ContactsStore = ReturnType<typeof createContactsStore>;

/** More merges than a contact can have; a longer chain must be a cycle. */
const maxMerges = 100;

const accountsOf = (of: readonly AccountContact[]) => [...new Set(of.map(({ accountId }) => accountId))];

/** Owns the `contacts` collection, a projection of the contacts service's events. */
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

  const find = (tx: Transaction, of: readonly AccountContact[]) =>
    contacts
      .find(
        { _id: { $in: of.map(({ contactId }) => contactId) }, account_id: { $in: accountsOf(of) } },
        { projection: { account_id: 1, deleted: 1, merged_into: 1, revision: 1 }, session: tx.session },
      )
      .toArray();

  /**
   * Current ids by given id, without deleted contacts. Locks these contacts: a concurrent delete or merge happens before or
   * after this transaction, not during it.
   */
  async function lockSurvivors(tx: Transaction, of: readonly AccountContact[]): Promise<Map<ContactId, ContactId>> {
    const survivors = new Map(of.map(({ contactId }) => [contactId, contactId]));
    for (const { _id, account_id, deleted, merged_into } of await find(tx, of)) {
      if (!deleted) continue;
      const survivor = merged_into === undefined ? undefined : await survivorOf(account_id, merged_into, tx);
      if (survivor === undefined) survivors.delete(_id);
      else survivors.set(_id, survivor);
    }
    const held = new Map(
      of.flatMap(({ accountId, contactId }) => {
        const survivor = survivors.get(contactId);
        return survivor === undefined ? [] : [[survivor, { accountId, contactId: survivor }] as const];
      }),
    );
    if (held.size === 0) return survivors;
    const { matchedCount } = await contacts.updateMany(
      { _id: { $in: [...held.keys()] }, account_id: { $in: accountsOf([...held.values()]) } },
      { $inc: { touched: 1 } },
      { session: tx.session },
    );
    if (matchedCount === held.size) return survivors;
    for (const { _id } of await find(tx, [...held.values()])) held.delete(_id);
    const unknown = [...held.values()].map(({ accountId, contactId }) => ({
      ...{ _id: contactId, account_id: accountId, email_key: null, revision: 0 },
    }));
    await contacts.insertMany(unknown, { session: tx.session });
    return survivors;
  }

  return {
    prepare: () => prepareCollection(contacts, [{ key: { account_id: 1, email_key: 1 } }, { key: { account_id: 1, _id: 1 } }], db),

    /** Overwrites only older revisions. Returns the contacts that this restores after they had been merged into another. */
    async keep(tx: Transaction, changed: readonly Changed[]): Promise<Set<ContactId>> {
      const found = await find(
        tx,
        changed.map(({ accountId, id }) => ({ accountId, contactId: id })),
      );
      const known = new Map(found.map((row) => [row._id, row]));
      const newer = changed.filter(({ id, revision }) => revision > (known.get(id)?.revision ?? -1));
      if (newer.length > 0) {
        const updates = newer.map(({ accountId, id, email, revision }) => ({
          updateOne: {
            filter: { _id: id, account_id: accountId },
            update: {
              $set: { email_key: email === null ? null : emailKey(email), revision },
              $unset: { deleted: '' as const, merged_into: '' as const },
            },
            upsert: true,
          },
        }));
        await contacts.bulkWrite(updates, { session: tx.session, ordered: false });
      }
      return new Set(newer.flatMap(({ id }) => (known.get(id)?.merged_into === undefined ? [] : [id])));
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
      (await lockSurvivors(tx, [{ accountId, contactId: id }])).get(id),

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
