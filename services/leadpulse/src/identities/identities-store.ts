import { type Contact, emailKey } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Db } from 'mongodb';
import { createDeletedContacts } from './deleted-contacts.ts';
import { contactClaim, createIdentityRows, type IdentityRow, rowIdOf, unclaimed } from './identity-rows.ts';
import { createMergedContacts } from './merged-contacts.ts';

export type AccountContact = { accountId: AccountId; contact: Pick<Contact, 'id' | 'revision' | 'email' | 'external_id'> };

/** A contact, and the claims that newly resolve to it. */
export type Claimant = { accountId: AccountId; contactId: ContactId; claims: readonly string[] };

export type IdentitiesStore = ReturnType<typeof createIdentitiesStore>;

const namesOf = ({ email, external_id }: Pick<Contact, 'email' | 'external_id'>) => [
  ...(email === null ? [] : [`email:${emailKey(email)}`]),
  ...(external_id === null ? [] : [`external:${external_id}`]),
];

/** Owns the `identities` collection. */
export function createIdentitiesStore(db: Db) {
  const identities = db.collection<IdentityRow>('identities');
  const rows = createIdentityRows(identities);
  const merged = createMergedContacts(identities, rows);

  return {
    ...merged,
    ...createDeletedContacts(identities, rows),

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
      const mergedIds: ContactId[] = [];
      for (const { _id, deleted, contact_id, contacts, merged_into } of await rows.of(accountId, claims, tx)) {
        const contact = deleted ? undefined : (contact_id ?? contacts?.at(-1));
        if (contact !== undefined) found.set(_id.slice(accountId.length + 1), contact);
        if (deleted && merged_into !== undefined && contact_id !== undefined) mergedIds.push(contact_id);
      }
      if (mergedIds.length === 0) return found;
      const survivors = await merged.survivors(accountId, mergedIds, tx);
      const gone = new Set(
        (await rows.of(accountId, [...survivors.values()].map(contactClaim), tx)).filter((row) => row.deleted).map((row) => row.contact_id),
      );
      for (const [id, survivor] of survivors) if (!gone.has(survivor)) found.set(contactClaim(id), id);
      return found;
    },

    /** The claims that resolve to no contact and that the contacts service has not been asked for. */
    async unresolved(accountId: AccountId, claims: readonly string[]): Promise<string[]> {
      if (claims.length === 0) return [];
      const known = new Set(
        (await rows.of(accountId, claims)).filter((row) => row.asked || row.contact_id || row.contacts?.[0]).map(({ _id }) => _id),
      );
      return claims.filter((claim) => !known.has(rowIdOf(accountId, claim)));
    },

    /** Records that events wait for these claims to resolve to a contact. */
    async wait(tx: Transaction, accountId: AccountId, claims: readonly string[]) {
      if (claims.length === 0) return;
      const operations = claims.map((claim) => ({
        updateOne: {
          filter: { _id: rowIdOf(accountId, claim) },
          update: { $inc: { waiting: 1 }, $setOnInsert: unclaimed(accountId) },
          upsert: true,
        },
      }));
      await identities.bulkWrite(operations, { session: tx.session, ordered: false });
    },

    async markRequested(accountId: AccountId, claims: readonly string[]) {
      const operations = claims.map((claim) => ({
        updateOne: {
          filter: { _id: rowIdOf(accountId, claim) },
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
      const idOf = ({ accountId, contact }: AccountContact) => rowIdOf(accountId, contactClaim(contact.id));
      const found = await identities.find({ _id: { $in: contacts.map(idOf) } }, { session }).toArray();
      const known = new Map(found.map((row) => [row._id, row]));
      const newer = contacts.filter((one) => (known.get(idOf(one))?.revision ?? 0) < one.contact.revision);
      const learned = newer.map((one) => {
        const row = known.get(idOf(one));
        const isKnown = row?.contact_id !== undefined && !row.deleted;
        const [before, names] = [isKnown ? (row.names ?? []) : [], namesOf(one.contact)];
        const added = names.filter((name) => !before.includes(name));
        return { ...one, isKnown, names, added, released: before.filter((name) => !names.includes(name)) };
      });
      const $unset = { deleted: '', merged_into: '', forget_at: '', forget_rounds: '', expires_at: '' } as const;
      const writes = learned.flatMap(({ accountId, contact: { id, revision }, names, added }): AnyBulkWriteOperation<IdentityRow>[] => {
        const $setOnInsert = { account_id: accountId };
        const kept = { $set: { contact_id: id, revision, names }, $unset, $setOnInsert };
        const taken = { $addToSet: { contacts: id }, $unset: { expires_at: '' as const }, $setOnInsert };
        return [
          { updateOne: { filter: { _id: rowIdOf(accountId, contactClaim(id)) }, update: kept, upsert: true } },
          ...added.map((name) => ({ updateOne: { filter: { _id: rowIdOf(accountId, name) }, update: taken, upsert: true } })),
        ];
      });
      if (writes.length > 0) await identities.bulkWrite(writes, { session });
      for (const { accountId, contact, released } of learned) await rows.release(tx, accountId, released, contact.id);
      return learned.map(({ accountId, contact: { id }, isKnown, added }) => ({
        accountId,
        contactId: id,
        claims: isKnown ? added : [contactClaim(id), ...added],
      }));
    },
  };
}
