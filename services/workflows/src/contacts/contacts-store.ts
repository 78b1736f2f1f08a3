import { emailKey } from '@mp/contracts/contact';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/**
 * As much of a contact as workflows need; `deleted` stays, so that a late event cannot bring one back: only a higher
 * revision can.
 */
type ContactDocument = {
  _id: string;
  account_id: string;
  email_key: string | null;
  revision: number;
  deleted?: true;
  /** Where a deleted one went. */
  merged_into?: string;
  /** Written only to meet whoever changes the contact at the same moment. */
  touched?: number;
};

export type KnownContact = { id: string; email_key: string | null; revision: number };
export type ContactsStore = ReturnType<typeof createContactsStore>;

/** More than one contact can carry; a longer chain would be a circle. */
const mostMerges = 100;

/** The only place that knows the `contacts` collection: a projection of the contacts service's events. */
export function createContactsStore(db: Db) {
  const contacts = db.collection<ContactDocument>('contacts');

  /** Under which id the contact is there now: its own, or that of the one it was merged into. Undefined when it is deleted. */
  async function survivorOf(accountId: string, id: string, tx?: Transaction): Promise<string | undefined> {
    let current = id;
    for (let merges = 0; merges <= mostMerges; merges += 1) {
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
   * As `survivorOf`, of those that are there, and holds them: whoever deletes or merges one at the same moment does so
   * before or after this transaction.
   */
  async function holdSurvivors(tx: Transaction, accountId: string, ids: readonly string[]): Promise<Map<string, string>> {
    const find = (wanted: readonly string[]) =>
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
    const unheard = held.filter((id) => !known.has(id)).map((_id) => ({ _id, account_id: accountId, email_key: null, revision: 0 }));
    await contacts.insertMany(unheard, { session: tx.session });
    return survivors;
  }

  return {
    prepare: () => prepareCollection(contacts, [{ key: { account_id: 1, email_key: 1 } }, { key: { account_id: 1, _id: 1 } }], db),

    /** Writes over an older revision only. Returns whether this gives back a contact that had been merged into another. */
    async keep(tx: Transaction, accountId: string, { id, email, revision }: { id: string; email: string | null; revision: number }) {
      const known = await contacts.findOne({ _id: id, account_id: accountId }, { session: tx.session });
      if (known && known.revision >= revision) return { isBack: false };
      await contacts.updateOne(
        { _id: id, account_id: accountId },
        { $set: { email_key: email === null ? null : emailKey(email), revision }, $unset: { deleted: '', merged_into: '' } },
        { session: tx.session, upsert: true },
      );
      return { isBack: known?.merged_into !== undefined };
    },

    /** Leaves nothing but the id, a revision above every one before, and where it went. False when a later one is known. */
    async forget(tx: Transaction, accountId: string, id: string, revision: number, mergedInto?: string): Promise<boolean> {
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

    holdSurvivors,

    holdSurvivor: async (tx: Transaction, accountId: string, id: string): Promise<string | undefined> =>
      (await holdSurvivors(tx, accountId, [id])).get(id),

    /** Those of the named contacts that have been heard of, deleted ones under their id with `deleted`. */
    async find(accountId: string, ids: readonly string[], emailKeys: readonly string[]): Promise<(KnownContact & { deleted: boolean })[]> {
      const found = await contacts
        .find({ account_id: accountId, $or: [{ _id: { $in: [...ids] } }, { email_key: { $in: [...emailKeys] } }] })
        .toArray();
      return found.map(({ _id, email_key, revision, deleted }) => ({ id: _id, email_key, revision, deleted: deleted === true }));
    },
  };
}
