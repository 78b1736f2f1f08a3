import { type Contact, emailKey } from '@mp/contracts/contact';
import { type AccountId, type ContactId, trustedId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Db } from 'mongodb';

/**
 * One row for each identifier of a contact: `contact:…` with its revision and its other identifiers, `email:…` and
 * `external:…` with the contact that has it. An identifier without a contact also gets a row when an event claims it: the
 * waiting event and the new contact then write the same row, so that neither can miss the other.
 */
type IdentityDocument = {
  _id: string;
  account_id: AccountId;
  waiting?: number;
  /** The contacts service has been asked for it. */
  asked?: true;
  /** Only in rows that no contact has had: the identifier is deleted then, and written again by the next event that claims it. */
  expires_at?: Date;
  /** Only in `email:` and `external:` rows. More than one only while events of two contacts overlap. */
  contacts?: ContactId[];
  /** Only in `contact:` rows. */
  contact_id?: ContactId;
  revision?: number;
  names?: string[];
  deleted?: true;
  /** The survivor, if the contact was deleted by a merge. */
  merged_into?: ContactId;
  /** The contact's activity is removed too, not only its identifiers. */
  erased?: true;
  /** When the contact's data is to be cleared next, and the number of rounds so far. */
  forget_at?: Date;
  forget_rounds?: number;
  forgotten?: Forgotten;
};

/** How many visitors and events of a contact were cleared. */
type Forgotten = { visitors: number; events: number };

export type AccountContact = { accountId: AccountId; contact: Pick<Contact, 'id' | 'revision' | 'email' | 'external_id'> };

/** A contact with claims that are now its own. */
export type Claimant = { accountId: AccountId; contactId: ContactId; claims: readonly string[] };

export type IdentitiesStore = ReturnType<typeof createIdentitiesStore>;

/** Two rounds, because a transaction that read the contact before its deletion may commit up to a minute later. */
const forgetRounds = 2;
const secondRoundMs = 2 * 60_000;

/** The longest chain of merges that is followed. */
const maxMerges = 100;
const maxMergedContacts = 1_000;

const unclaimedMs = 30 * 24 * 60 * 60_000;
const unclaimed = (account_id: AccountId) => ({ account_id, expires_at: new Date(Date.now() + unclaimedMs) });

export const contactClaim = (id: ContactId) => `contact:${id}`;

const namesOf = ({ email, external_id }: Pick<Contact, 'email' | 'external_id'>) => [
  ...(email === null ? [] : [`email:${emailKey(email)}`]),
  ...(external_id === null ? [] : [`external:${external_id}`]),
];

/** The only access to the `identities` collection. */
export function createIdentitiesStore(db: Db) {
  const identities = db.collection<IdentityDocument>('identities');
  const idOf = (accountId: AccountId, claim: string) => `${accountId} ${claim}`;

  const rowsOf = (accountId: AccountId, claims: readonly string[], tx?: Transaction) =>
    identities.find({ _id: { $in: claims.map((claim) => idOf(accountId, claim)) } }, tx && { session: tx.session }).toArray();

  async function releaseNames(tx: Transaction, accountId: AccountId, row: IdentityDocument | null, contactId: ContactId) {
    if (!row?.deleted) await release(tx, accountId, row?.names ?? [], contactId);
  }

  /** Takes identifiers from a contact. One that no contact has any more is deleted: it is personal, and nothing else reads it. */
  async function release(tx: Transaction, accountId: AccountId, names: readonly string[], contactId: ContactId) {
    const { session } = tx;
    for (const name of names) {
      const _id = idOf(accountId, name);
      await identities.updateOne({ _id }, { $pull: { contacts: contactId } }, { session });
      await identities.deleteOne({ _id, 'contacts.0': { $exists: false } }, { session });
    }
  }

  async function writeTombstone(tx: Transaction, accountId: AccountId, contactId: ContactId, members: Partial<IdentityDocument>) {
    await identities.updateOne(
      { _id: idOf(accountId, contactClaim(contactId)) },
      { $set: { contact_id: contactId, deleted: true, ...members }, $unset: { expires_at: '' }, $setOnInsert: { account_id: accountId } },
      { session: tx.session, upsert: true },
    );
  }

  async function discard(tx: Transaction, accountId: AccountId, contactId: ContactId, how: Pick<IdentityDocument, 'erased'>) {
    const row = await identities.findOne({ _id: idOf(accountId, contactClaim(contactId)) }, { session: tx.session });
    await releaseNames(tx, accountId, row, contactId);
    await writeTombstone(tx, accountId, contactId, { revision: Number.MAX_SAFE_INTEGER, forget_at: new Date(), forget_rounds: 0, ...how });
  }

  return {
    prepare: () =>
      prepareCollection(
        identities,
        [
          { name: 'account', key: { account_id: 1 } },
          { name: 'merged', key: { account_id: 1, merged_into: 1 }, partialFilterExpression: { merged_into: { $gt: '' } } },
          { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
          { name: 'forget', key: { forget_at: 1 }, partialFilterExpression: { forget_at: { $exists: true } } },
        ],
        db,
      ),

    /**
     * Maps claims to contacts, as far as they resolve to one. The ID of a merged contact resolves to itself while its survivor
     * exists: what is stored with it needs no change when the merge is undone.
     */
    async resolve(accountId: AccountId, claims: readonly string[], tx?: Transaction): Promise<Map<string, ContactId>> {
      if (claims.length === 0) return new Map();
      const found = new Map<string, ContactId>();
      const merged: ContactId[] = [];
      for (const { _id, deleted, contact_id, contacts, merged_into } of await rowsOf(accountId, claims, tx)) {
        const contact = deleted ? undefined : (contact_id ?? contacts?.at(-1));
        if (contact !== undefined) found.set(_id.slice(accountId.length + 1), contact);
        if (deleted && merged_into !== undefined && contact_id !== undefined) merged.push(contact_id);
      }
      if (merged.length === 0) return found;
      const survivors = await this.survivors(accountId, merged, tx);
      const gone = new Set(
        (await rowsOf(accountId, [...survivors.values()].map(contactClaim), tx)).filter((row) => row.deleted).map((row) => row.contact_id),
      );
      for (const [id, survivor] of survivors) if (!gone.has(survivor)) found.set(contactClaim(id), id);
      return found;
    },

    /** Maps merged contacts to their survivors, following chains of merges. Other contacts are not in the map. */
    async survivors(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<Map<ContactId, ContactId>> {
      const found = new Map<ContactId, ContactId>();
      let open = new Map(contactIds.map((id) => [id, [id]]));
      for (let round = 0; open.size > 0 && round < maxMerges; round += 1) {
        const next = new Map<ContactId, ContactId[]>();
        for (const { contact_id, deleted, merged_into } of await rowsOf(accountId, [...open.keys()].map(contactClaim), tx)) {
          if (!deleted || contact_id === undefined || merged_into === undefined) continue;
          const parts = open.get(contact_id) ?? [];
          for (const id of parts) found.set(id, merged_into);
          next.set(merged_into, [...(next.get(merged_into) ?? []), ...parts]);
        }
        open = next;
      }
      return found;
    },

    /** Maps the merged contacts of an account to their survivors, following chains of merges; at most `limit` merges. */
    async merges(accountId: AccountId, limit: number): Promise<Map<ContactId, ContactId>> {
      const rows = await identities
        .find({ account_id: accountId, merged_into: { $gt: trustedId<'contact'>('') }, deleted: true })
        .project<Pick<IdentityDocument, 'contact_id' | 'merged_into'>>({ contact_id: 1, merged_into: 1 })
        .hint('merged')
        .limit(limit)
        .toArray();
      const next = new Map(rows.flatMap(({ contact_id: id, merged_into: into }) => (id && into ? [[id, into] as const] : [])));
      const last = (id: ContactId, round = 0): ContactId => {
        const into = round < maxMerges ? next.get(id) : undefined;
        return into === undefined ? id : last(into, round + 1);
      };
      return new Map([...next.keys()].map((id) => [id, last(id)]));
    },

    /** A contact and those that were merged into it, directly or through others. */
    async withMerged(accountId: AccountId, contactId: ContactId): Promise<ContactId[]> {
      const found = new Set([contactId]);
      for (let open = [contactId], round = 0; open.length > 0 && round < maxMerges; round += 1) {
        const rows = await identities
          .find({ account_id: accountId, merged_into: { $in: open }, deleted: true })
          .limit(maxMergedContacts)
          .toArray();
        open = rows.flatMap(({ contact_id }) => (contact_id === undefined || found.has(contact_id) ? [] : [contact_id]));
        for (const id of open) found.add(id);
      }
      return [...found];
    },

    /** The claims that resolve to no contact and that the contacts service has not been asked for. */
    async unresolved(accountId: AccountId, claims: readonly string[]): Promise<string[]> {
      if (claims.length === 0) return [];
      const known = new Set(
        (await rowsOf(accountId, claims)).filter((row) => row.asked || row.contact_id || row.contacts?.[0]).map(({ _id }) => _id),
      );
      return claims.filter((claim) => !known.has(idOf(accountId, claim)));
    },

    /** Records that events wait for these claims to resolve to a contact. */
    async wait(tx: Transaction, accountId: AccountId, claims: readonly string[]) {
      for (const claim of claims)
        await identities.updateOne(
          { _id: idOf(accountId, claim) },
          { $inc: { waiting: 1 }, $setOnInsert: unclaimed(accountId) },
          { session: tx.session, upsert: true },
        );
    },

    async markAsked(accountId: AccountId, claims: readonly string[]) {
      const operations = claims.map((claim) => ({
        updateOne: {
          filter: { _id: idOf(accountId, claim) },
          update: { $set: { asked: true as const }, $setOnInsert: unclaimed(accountId) },
          upsert: true,
        },
      }));
      if (operations.length > 0)
        await identities.bulkWrite(operations, { ordered: false }).catch((error: unknown) => {
          // Another replica inserted the same row at the same time.
          if (!isDuplicateKey(error)) throw error;
        });
    },

    /**
     * Stores the identifiers of contacts, each once, and returns those that are new as claims; none of a contact whose revision is not
     * newer than the stored one. A higher revision restores a deleted contact, because its merge was undone: all its identifiers are
     * new again.
     */
    async learn(tx: Transaction, contacts: readonly AccountContact[]): Promise<Claimant[]> {
      const { session } = tx;
      const rowIdOf = ({ accountId, contact }: AccountContact) => idOf(accountId, contactClaim(contact.id));
      const found = await identities.find({ _id: { $in: contacts.map(rowIdOf) } }, { session }).toArray();
      const rows = new Map(found.map((row) => [row._id, row]));
      const newer = contacts.filter((one) => (rows.get(rowIdOf(one))?.revision ?? 0) < one.contact.revision);
      const learned = newer.map((one) => {
        const row = rows.get(rowIdOf(one));
        const isKnown = row?.contact_id !== undefined && !row.deleted;
        const [before, names] = [isKnown ? (row.names ?? []) : [], namesOf(one.contact)];
        const added = names.filter((name) => !before.includes(name));
        return { ...one, isKnown, names, added, released: before.filter((name) => !names.includes(name)) };
      });
      const $unset = { deleted: '', merged_into: '', forget_at: '', forget_rounds: '', expires_at: '' } as const;
      const writes = learned.flatMap(
        ({ accountId, contact: { id, revision }, names, added }): AnyBulkWriteOperation<IdentityDocument>[] => {
          const $setOnInsert = { account_id: accountId };
          const kept = { $set: { contact_id: id, revision, names }, $unset, $setOnInsert };
          const taken = { $addToSet: { contacts: id }, $unset: { expires_at: '' as const }, $setOnInsert };
          return [
            { updateOne: { filter: { _id: idOf(accountId, contactClaim(id)) }, update: kept, upsert: true } },
            ...added.map((name) => ({ updateOne: { filter: { _id: idOf(accountId, name) }, update: taken, upsert: true } })),
          ];
        },
      );
      if (writes.length > 0) await identities.bulkWrite(writes, { session });
      for (const { accountId, contact, released } of learned) await release(tx, accountId, released, contact.id);
      return learned.map(({ accountId, contact: { id }, isKnown, added }) => ({
        accountId,
        contactId: id,
        claims: isKnown ? added : [contactClaim(id), ...added],
      }));
    },

    /**
     * Stores that a contact was merged into another, unless the contact is known; its own event brings the revision.
     * Returns true if that is new.
     */
    async learnMerged(tx: Transaction, accountId: AccountId, contactId: ContactId, into: ContactId): Promise<boolean> {
      const row = await identities.findOne({ _id: idOf(accountId, contactClaim(contactId)) }, { session: tx.session });
      if (row?.contact_id !== undefined) return false;
      await writeTombstone(tx, accountId, contactId, { revision: 0, merged_into: into });
      return true;
    },

    /**
     * Marks the contact as deleted, so that late events do not restore it. Its data is scheduled to be cleared, unless the
     * contact was merged: then it is kept in case the merge is undone.
     */
    async tombstone(
      tx: Transaction,
      accountId: AccountId,
      { contactId, revision, mergedInto }: { contactId: ContactId; revision: number; mergedInto?: ContactId | undefined },
    ) {
      const row = await identities.findOne({ _id: idOf(accountId, contactClaim(contactId)) }, { session: tx.session });
      if (row && (row.revision ?? 0) >= revision) return;
      await releaseNames(tx, accountId, row, contactId);
      const traces = mergedInto === undefined ? { forget_at: new Date(), forget_rounds: 0 } : { merged_into: mergedInto };
      await writeTombstone(tx, accountId, contactId, { revision, ...traces });
    },

    /** Deletes the contact permanently: no later revision restores it. */
    forget: (tx: Transaction, accountId: AccountId, contactId: ContactId) => discard(tx, accountId, contactId, {}),

    /** Deletes the contact permanently, and its activity too. */
    erase: (tx: Transaction, accountId: AccountId, contactId: ContactId) => discard(tx, accountId, contactId, { erased: true }),

    /** The number of cleared visitors and events of these contacts; undefined until the first round is complete for all of them. */
    async cleared(accountId: AccountId, contactIds: readonly ContactId[]): Promise<Forgotten | undefined> {
      const rows = await rowsOf(accountId, contactIds.map(contactClaim));
      if (rows.some(({ forget_at, forget_rounds = 0 }) => forget_at !== undefined && forget_rounds === 0)) return undefined;
      const sum = (of: keyof Forgotten) => rows.reduce((total, { forgotten }) => total + (forgotten?.[of] ?? 0), 0);
      return { visitors: sum('visitors'), events: sum('events') };
    },

    /** The next contact whose data is to be cleared. */
    async nextToForget(now: Date) {
      const row = await identities.findOne({ forget_at: { $lte: now } }, { sort: { forget_at: 1 } });
      if (!row?.contact_id) return undefined;
      return {
        accountId: row.account_id,
        contactId: row.contact_id,
        claims: [contactClaim(row.contact_id), ...(row.names ?? [])],
        erased: row.erased === true,
      };
    },

    async markForgotten(accountId: AccountId, contactId: ContactId, forgotten: Forgotten, now: Date) {
      const _id = idOf(accountId, contactClaim(contactId));
      const row = await identities.findOneAndUpdate(
        { _id },
        { $inc: { forget_rounds: 1, 'forgotten.visitors': forgotten.visitors, 'forgotten.events': forgotten.events } },
        { returnDocument: 'after' },
      );
      const isLast = (row?.forget_rounds ?? 0) >= forgetRounds;
      await identities.deleteMany({
        _id: { $in: (row?.names ?? []).map((name) => idOf(accountId, name)) },
        'contacts.0': { $exists: false },
      });
      await identities.updateOne(
        { _id },
        isLast ? { $unset: { forget_at: '', names: '', forgotten: '' } } : { $set: { forget_at: new Date(now.getTime() + secondRoundMs) } },
      );
    },
  };
}
