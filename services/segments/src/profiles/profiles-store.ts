import type { Contact } from '@mp/contracts/contact';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { type Db, MongoError } from 'mongodb';
import { isKnown, type KnownProfile, type Profile } from './profile.ts';

type ProfileDocument = {
  _id: string;
  account_id: string;
  contact: Contact | null;
  revision: number;
  /** Grows with every transaction that evaluates the contact: two of them cannot both commit. */
  touches: number;
  changed_at: Date;
  /** A tombstone: it refuses events that arrive after the deletion. */
  deleted_at?: Date;
  /** What the contact did is still to be removed. */
  erase?: true;
};

export type ProfilesStore = ReturnType<typeof createProfilesStore>;

/** Far longer than any event can be late. */
const tombstoneSeconds = 30 * 24 * 60 * 60;

/** The only place that knows the `profiles` collection. Every query names the account. */
export function createProfilesStore(db: Db) {
  const profiles = db.collection<ProfileDocument>('profiles');

  /**
   * Puts an empty row there, outside any transaction. It need not survive a crash on its own: the transaction that needs
   * it writes it too.
   */
  async function insertEmpty(accountId: string, id: string): Promise<void> {
    const empty = { _id: id, account_id: accountId, contact: null, revision: 0, touches: 0, changed_at: new Date(0) };
    await profiles.insertOne(empty, { writeConcern: { w: 1 } }).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
    });
  }

  return {
    prepare: () =>
      prepareCollection(
        profiles,
        [
          { name: 'contact', key: { account_id: 1, _id: 1 } },
          { name: 'expiry', key: { deleted_at: 1 }, expireAfterSeconds: tombstoneSeconds },
          { name: 'erase', key: { erase: 1 }, partialFilterExpression: { erase: true } },
        ],
        db,
      ),

    /**
     * Reads a contact's profile and makes this transaction the only one that may evaluate the contact: another that does
     * so at the same time is started again after this one. Undefined for a contact of another account.
     *
     * A contact seen for the first time gets its empty row before the transaction that fills it begins. So whoever goes
     * through all profiles finds the row of every transaction that began before it: none can commit behind its back.
     */
    async touch(tx: Transaction, accountId: string, id: string): Promise<Profile | undefined> {
      const row = await profiles.findOneAndUpdate(
        { _id: id, account_id: accountId },
        { $inc: { touches: 1 } },
        { session: tx.session, returnDocument: 'before' },
      );
      if (row) return profileOf(row);
      await insertEmpty(accountId, id);
      // The newest state, not the majority's: the row may have been written this instant.
      const present = await profiles.findOne({ _id: id }, { projection: { account_id: 1 }, readConcern: { level: 'local' } });
      if (present && present.account_id !== accountId) return undefined;
      throw startAgain('the profile was not there yet');
    },

    /** The next profiles by id order, touched. Empty rows and tombstones are among them. */
    async touchNext(tx: Transaction, accountId: string, after: string | null, limit: number): Promise<Profile[]> {
      const rows = await profiles
        .find({ account_id: accountId, ...(after !== null && { _id: { $gt: after } }) }, { session: tx.session })
        .sort({ _id: 1 })
        .limit(limit)
        .hint('contact')
        .toArray();
      await touchAll(
        tx,
        accountId,
        rows.map((row) => row._id),
      );
      return rows.map(profileOf);
    },

    touchAll,

    async save(tx: Transaction, accountId: string, contact: Contact) {
      await profiles.updateOne(
        { _id: contact.id, account_id: accountId },
        { $set: { contact, revision: contact.revision } },
        { session: tx.session },
      );
    },

    async bury(tx: Transaction, accountId: string, id: string, revision: number) {
      await profiles.updateOne(
        { _id: id, account_id: accountId },
        { $set: { contact: null, revision, deleted_at: new Date(), erase: true } },
        { session: tx.session },
      );
    },

    /** Remembers when memberships of these contacts last changed. */
    async markChanged(tx: Transaction, accountId: string, ids: readonly string[], at: Date) {
      if (ids.length === 0) return;
      await profiles.updateMany({ _id: { $in: [...ids] }, account_id: accountId }, { $max: { changed_at: at } }, { session: tx.session });
    },

    async findOne(accountId: string, id: string, tx?: Transaction): Promise<Profile | undefined> {
      const row = await profiles.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      return row ? profileOf(row) : undefined;
    },

    async find(accountId: string, ids: readonly string[]): Promise<Map<string, KnownProfile>> {
      const rows = await profiles.find({ account_id: accountId, _id: { $in: [...ids] } }).toArray();
      const known = rows.map(profileOf).filter(isKnown);
      return new Map(known.map((profile) => [profile.id, profile]));
    },

    /** Known contacts by id order. */
    async page(accountId: string, after: string | null, limit: number): Promise<{ profiles: KnownProfile[]; next: string | null }> {
      const rows = await profiles
        .find({ account_id: accountId, ...(after !== null && { _id: { $gt: after } }) })
        .sort({ _id: 1 })
        .limit(limit)
        .hint('contact')
        .toArray();
      return { profiles: rows.map(profileOf).filter(isKnown), next: rows.length === limit ? (rows.at(-1)?._id ?? null) : null };
    },

    /** Ids of known contacts in a range of ids. */
    async idsBetween(accountId: string, after: string, upTo: string | null): Promise<string[]> {
      const range = { $gt: after, ...(upTo !== null && { $lte: upTo }) };
      const rows = await profiles
        .find({ account_id: accountId, _id: range, contact: { $ne: null } })
        .project<{ _id: string }>({ _id: 1 })
        .toArray();
      return rows.map((row) => row._id);
    },

    /** An upper bound of how many contacts there are: empty rows and tombstones count. */
    count: (accountId: string) => profiles.countDocuments({ account_id: accountId }, { hint: 'contact' }),

    /** Deleted contacts whose activities are still there. */
    async toErase(limit: number) {
      const rows = await profiles
        .find({ erase: true })
        .limit(limit)
        .project<{ _id: string; account_id: string }>({ account_id: 1 })
        .toArray();
      return rows.map((row) => ({ accountId: row.account_id, contactId: row._id }));
    },
    async erased(accountId: string, id: string) {
      await profiles.updateOne({ _id: id, account_id: accountId }, { $unset: { erase: '' } });
    },
  };

  async function touchAll(tx: Transaction, accountId: string, ids: readonly string[]) {
    if (ids.length === 0) return;
    await profiles.updateMany({ _id: { $in: [...ids] }, account_id: accountId }, { $inc: { touches: 1 } }, { session: tx.session });
  }
}

const profileOf = ({ _id, contact, revision, deleted_at, changed_at }: ProfileDocument): Profile => ({
  id: _id,
  contact,
  revision,
  deleted: deleted_at !== undefined,
  changedAt: changed_at,
});

/** Makes the transaction begin again, with a newer view of the data. */
function startAgain(why: string): MongoError {
  const error = new MongoError(why);
  error.addErrorLabel('TransientTransactionError');
  return error;
}
