import type { Contact } from '@mp/contracts/contact';
import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction, transientError } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { beforeAll, isKnown, type KnownProfile, type Profile } from './profile.ts';

type ProfileDocument = {
  _id: ContactId;
  account_id: AccountId;
  contact: Contact | null;
  revision: number;
  /** Incremented by every transaction that evaluates the contact, so that two concurrent ones cannot both commit. */
  touches: number;
  touched_at: Date;
  /** Set on a tombstone, which rejects events that arrive after the deletion. */
  deleted_at?: Date;
  /** Set on the tombstone of a merged contact, which is kept as long as the merge. */
  merged_into?: ContactId;
  static_segments?: SegmentId[];
  /** The contact's activities have yet to be removed. `removed` counts those removed so far. */
  erase?: true;
  removed?: number;
};

/** A profile as it was before a newer revision of its contact. */
export type Saved = { before: Profile; contact: Contact };

export type ProfilesStore = ReturnType<typeof createProfilesStore>;

type Tombstone = { revision: number; erase: boolean; mergedInto: ContactId | undefined; staticSegments: readonly SegmentId[] };

/** Far longer than an event can be delayed. */
const tombstoneSeconds = 30 * 24 * 60 * 60;

/** Owns the `profiles` collection. Every query names the account. */
export function createProfilesStore(db: Db) {
  const profiles = db.collection<ProfileDocument>('profiles');

  /**
   * Reads the rows of contacts, without those of other accounts. Contacts without a row get an empty one outside any transaction,
   * and the transaction restarts. The rows need not survive a crash, because the transaction that needs them writes them too.
   *
   * A scan of all profiles thus finds the row of every transaction that started before it, and none can commit a new contact
   * that the scan misses.
   */
  async function rowsOf(tx: Transaction, accountId: AccountId, ids: readonly ContactId[]): Promise<ProfileDocument[]> {
    const found = await profiles.find({ _id: { $in: [...ids] } }, { session: tx.session }).toArray();
    const known = new Set(found.map(({ _id }) => _id));
    const missing = ids.filter((id) => !known.has(id));
    if (missing.length === 0) return found.filter(({ account_id }) => account_id === accountId);
    const empty = { account_id: accountId, contact: null, revision: 0, touches: 0, touched_at: new Date(0) };
    await profiles
      .insertMany(
        missing.map((_id) => ({ _id, ...empty })),
        { ordered: false, writeConcern: { w: 1 } },
      )
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    throw transientError('a profile did not exist yet');
  }

  /**
   * Reads the profiles of contacts and makes this transaction the only one that can evaluate them: a concurrent one restarts
   * after this one. Contacts of another account are omitted.
   */
  async function touch(tx: Transaction, accountId: AccountId, ids: readonly ContactId[], now: Date): Promise<Profile[]> {
    return touchRows(tx, accountId, await rowsOf(tx, accountId, ids), now);
  }

  return {
    prepare: () =>
      prepareCollection(
        profiles,
        [
          { name: 'contact', key: { account_id: 1, _id: 1 } },
          { name: 'expiry', key: { deleted_at: 1 }, expireAfterSeconds: tombstoneSeconds },
          { name: 'merged', key: { account_id: 1, merged_into: 1 }, partialFilterExpression: { merged_into: { $exists: true } } },
          { name: 'erase', key: { erase: 1 }, partialFilterExpression: { erase: true } },
        ],
        db,
      ),

    touch,

    /**
     * Touches the profiles, updates them to a newer revision, and returns them as they were before, with the new contact. Those that
     * are already at this revision or a newer one are omitted. Only a higher revision replaces a tombstone: an undone merge restores
     * the contact.
     */
    async save(tx: Transaction, accountId: AccountId, contacts: readonly Contact[], now: Date): Promise<Saved[]> {
      const before = new Map(
        (
          await rowsOf(
            tx,
            accountId,
            contacts.map(({ id }) => id),
          )
        ).map((row) => [row._id, profileOf(row)]),
      );
      const saved = contacts.flatMap<Saved>((contact) => {
        const known = before.get(contact.id);
        return known && known.revision < contact.revision ? [{ before: known, contact }] : [];
      });
      if (saved.length === 0) return [];
      await profiles.bulkWrite(
        saved.map(({ contact }) => ({
          updateOne: {
            filter: { _id: contact.id, account_id: accountId },
            update: {
              ...touched(now),
              $set: { contact, revision: contact.revision },
              $unset: { deleted_at: '', merged_into: '', static_segments: '', erase: '' },
            },
          },
        })),
        { session: tx.session },
      );
      return saved;
    },

    /** Touches and returns the next profiles in id order, including empty rows and tombstones. */
    async touchNext(
      tx: Transaction,
      accountId: AccountId,
      { after, limit, now }: { after: ContactId | null; limit: number; now: Date },
    ): Promise<Profile[]> {
      const rows = await profiles
        .find({ account_id: accountId, ...(after !== null && { _id: { $gt: after } }) }, { session: tx.session })
        .sort({ _id: 1 })
        .limit(limit)
        .hint('contact')
        .toArray();
      return touchRows(tx, accountId, rows, now);
    },

    touchAll,

    /** Touches these contacts, and returns their profiles as they were before. Contacts without a row are omitted. */
    async touchEach(tx: Transaction, accountId: AccountId, ids: readonly ContactId[], now: Date): Promise<Profile[]> {
      const rows = await profiles.find({ account_id: accountId, _id: { $in: [...ids] } }, { session: tx.session }).toArray();
      return touchRows(tx, accountId, rows, now);
    },

    /** Touches and returns the contact that a touched one has been merged into; itself if it was not. */
    async touchSurvivor(tx: Transaction, accountId: AccountId, profile: Profile, now: Date): Promise<Profile | undefined> {
      let survivor: Profile | undefined = profile;
      while (survivor && survivor.mergedInto !== null) [survivor] = await touch(tx, accountId, [survivor.mergedInto], now);
      return survivor;
    },

    /** The contacts merged into each of these, directly or indirectly. Contacts without any are omitted. */
    async mergedInto(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<Map<ContactId, ContactId[]>> {
      const merged = new Map<ContactId, ContactId[]>();
      for (let into = new Map(contactIds.map((id) => [id, id])); into.size > 0; ) {
        const rows = await profiles
          .find({ account_id: accountId, merged_into: { $in: [...into.keys()] } }, tx && { session: tx.session })
          .hint('merged')
          .project<{ _id: ContactId; merged_into: ContactId }>({ merged_into: 1 })
          .toArray();
        const next = new Map<ContactId, ContactId>();
        for (const { _id, merged_into } of rows) {
          const survivor = into.get(merged_into);
          if (survivor === undefined) continue;
          merged.set(survivor, [...(merged.get(survivor) ?? []), _id]);
          next.set(_id, survivor);
        }
        into = next;
      }
      return merged;
    },

    /** Replaces the profile with a tombstone. With `erase`, the contact's activities are removed too, and it does not return. */
    async tombstone(tx: Transaction, accountId: AccountId, id: ContactId, { revision, erase, mergedInto, staticSegments }: Tombstone) {
      await profiles.updateOne(
        { _id: id, account_id: accountId },
        {
          $set: {
            contact: null,
            revision,
            static_segments: erase ? [] : [...staticSegments],
            ...(mergedInto === undefined ? { deleted_at: new Date() } : { merged_into: mergedInto }),
            ...(erase && { erase }),
          },
          $unset: mergedInto === undefined ? { merged_into: '' } : { deleted_at: '' },
        },
        { session: tx.session },
      );
    },

    async findOne(accountId: AccountId, id: ContactId, tx?: Transaction): Promise<Profile | undefined> {
      const row = await profiles.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      return row ? profileOf(row) : undefined;
    },

    async find(accountId: AccountId, ids: readonly ContactId[]): Promise<Map<ContactId, KnownProfile>> {
      const rows = await profiles.find({ account_id: accountId, _id: { $in: [...ids] } }).toArray();
      const known = rows.map(profileOf).filter(isKnown);
      return new Map(known.map((profile) => [profile.id, profile]));
    },

    /** Known contacts in id order, with only the fields that a rule reads. */
    async scan(
      accountId: AccountId,
      { after, limit, fields }: { after: ContactId | null; limit: number; fields: readonly string[] },
    ): Promise<{ contacts: { id: ContactId; contact: Partial<Contact> }[]; next: ContactId | null }> {
      // Branches as a whole, because keys of attributes may contain dots.
      const branches = new Set(['id', ...fields.map((name) => name.split('.', 1)[0])]);
      const rows = await profiles
        .find({ account_id: accountId, ...(after !== null && { _id: { $gt: after } }) })
        .sort({ _id: 1 })
        .limit(limit)
        .hint('contact')
        .project<{ _id: ContactId; contact?: Partial<Contact> }>(Object.fromEntries([...branches].map((name) => [`contact.${name}`, 1])))
        .batchSize(limit)
        .toArray();
      return {
        // An empty row and a tombstone have no contact.
        contacts: rows.flatMap(({ _id: id, contact }) => (contact ? { id, contact } : [])),
        next: rows.length === limit ? (rows.at(-1)?._id ?? null) : null,
      };
    },

    /** Profiles of all accounts in id order, including empty rows and tombstones. */
    async pageOfAll(after: ContactId | null, limit: number): Promise<{ accountId: AccountId; profile: Profile }[]> {
      const rows = await profiles
        .find(after === null ? {} : { _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => ({ accountId: row.account_id, profile: profileOf(row) }));
    },

    /** Ids of known contacts in a range of ids. */
    async idsBetween(accountId: AccountId, after: ContactId | null, upTo: ContactId | null): Promise<ContactId[]> {
      const range = { $gt: after ?? beforeAll, ...(upTo !== null && { $lte: upTo }) };
      const rows = await profiles
        .find({ account_id: accountId, _id: range, contact: { $ne: null } })
        .project<{ _id: ContactId }>({ _id: 1 })
        .toArray();
      return rows.map((row) => row._id);
    },

    /** An upper bound of the number of contacts: empty rows and tombstones are included. */
    count: (accountId: AccountId) => profiles.countDocuments({ account_id: accountId }, { hint: 'contact' }),

    /** Deleted contacts whose activities have not been removed yet. */
    async toErase(limit: number) {
      const rows = await profiles
        .find({ erase: true })
        .limit(limit)
        .project<{ _id: ContactId; account_id: AccountId }>({ account_id: 1 })
        .toArray();
      return rows.map((row) => ({ accountId: row.account_id, contactId: row._id }));
    },
    /** Counts removed activities of a deleted contact; `isDone` when none are left. */
    async erased(tx: Transaction, accountId: AccountId, id: ContactId, { removed, isDone }: { removed: number; isDone: boolean }) {
      const own = { _id: id, account_id: accountId };
      await profiles.updateOne(own, { $inc: { removed }, ...(isDone && { $unset: { erase: '' } }) }, { session: tx.session });
    },

    /** How many activities of these deleted contacts have been removed in total. */
    async removedOf(accountId: AccountId, ids: readonly ContactId[]): Promise<number> {
      const rows = await profiles.find({ account_id: accountId, _id: { $in: [...ids] } }).toArray();
      return rows.reduce((total, { removed = 0 }) => total + removed, 0);
    },
  };

  async function touchRows(tx: Transaction, accountId: AccountId, rows: readonly ProfileDocument[], now: Date): Promise<Profile[]> {
    await touchAll(
      tx,
      accountId,
      rows.map(({ _id }) => _id),
      now,
    );
    return rows.map(profileOf);
  }

  async function touchAll(tx: Transaction, accountId: AccountId, ids: readonly ContactId[], now: Date) {
    if (ids.length === 0) return;
    await profiles.updateMany({ _id: { $in: [...ids] }, account_id: accountId }, touched(now), { session: tx.session });
  }
}

const touched = (now: Date) => ({ $inc: { touches: 1 }, $max: { touched_at: now } });

const profileOf = ({ _id, contact, revision, deleted_at, merged_into, static_segments, touched_at }: ProfileDocument): Profile => ({
  id: _id,
  contact,
  revision,
  deleted: deleted_at !== undefined || merged_into !== undefined,
  mergedInto: merged_into ?? null,
  staticSegments: static_segments ?? [],
  touchedAt: touched_at,
});
