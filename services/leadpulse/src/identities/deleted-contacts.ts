import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import { type ContactRow, contactClaim, type Forgotten, type IdentityRow, type IdentityRows, rowIdOf } from './identity-rows.ts';

/** Two rounds, because a transaction that read the contact before its deletion may commit up to a minute later. */
const forgetRounds = 2;
const secondRoundMs = 2 * 60_000;

/** Stores which contacts are deleted, merged or erased, and which of their data is still to be cleared. */
export function createDeletedContacts(identities: Collection<IdentityRow>, rows: IdentityRows) {
  async function releaseNames(tx: Transaction, accountId: AccountId, row: ContactRow | undefined, contactId: ContactId) {
    if (!row?.deleted) await rows.release(tx, accountId, row?.names ?? [], contactId);
  }

  async function writeTombstone(
    tx: Transaction,
    accountId: AccountId,
    contactId: ContactId,
    members: Partial<ContactRow> & Pick<ContactRow, 'revision'>,
  ) {
    await identities.updateOne(
      { _id: rowIdOf(accountId, contactClaim(contactId)) },
      { $set: { contact_id: contactId, deleted: true, ...members }, $unset: { expires_at: '' }, $setOnInsert: { account_id: accountId } },
      { session: tx.session, upsert: true },
    );
  }

  async function discard(tx: Transaction, accountId: AccountId, contactId: ContactId, how: Pick<ContactRow, 'erased'>) {
    const row = await rows.ofContact(tx, accountId, contactId);
    await releaseNames(tx, accountId, row, contactId);
    await writeTombstone(tx, accountId, contactId, { revision: Number.MAX_SAFE_INTEGER, forget_at: new Date(), forget_rounds: 0, ...how });
  }

  return {
    /**
     * Stores that a contact was merged into another, unless the contact is known; its own event brings the revision.
     * Returns true if that is new.
     */
    async learnMerged(tx: Transaction, accountId: AccountId, contactId: ContactId, into: ContactId): Promise<boolean> {
      if (await rows.ofContact(tx, accountId, contactId)) return false;
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
      const row = await rows.ofContact(tx, accountId, contactId);
      if (row && row.revision >= revision) return;
      await releaseNames(tx, accountId, row, contactId);
      const traces = mergedInto === undefined ? { forget_at: new Date(), forget_rounds: 0 } : { merged_into: mergedInto };
      await writeTombstone(tx, accountId, contactId, { revision, ...traces });
    },

    /** Whether the contact is deleted permanently. Reading it in the transaction does not conflict with its deletion. */
    async isGone(tx: Transaction, accountId: AccountId, contactId: ContactId): Promise<boolean> {
      const row = await rows.ofContact(tx, accountId, contactId);
      return row?.deleted === true && row.revision === Number.MAX_SAFE_INTEGER;
    },

    /** Deletes the contact permanently: no later revision restores it. */
    forget: (tx: Transaction, accountId: AccountId, contactId: ContactId) => discard(tx, accountId, contactId, {}),

    /** Deletes the contact permanently, and its activity too. */
    erase: (tx: Transaction, accountId: AccountId, contactId: ContactId) => discard(tx, accountId, contactId, { erased: true }),

    /** The number of cleared visitors and events of these contacts; undefined until the first round is complete for all of them. */
    async cleared(accountId: AccountId, contactIds: readonly ContactId[]): Promise<Forgotten | undefined> {
      const deleted = await rows.of(accountId, contactIds.map(contactClaim));
      if (deleted.some(({ forget_at, forget_rounds = 0 }) => forget_at !== undefined && forget_rounds === 0)) return undefined;
      const sum = (of: keyof Forgotten) => deleted.reduce((total, { forgotten }) => total + (forgotten?.[of] ?? 0), 0);
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
      const _id = rowIdOf(accountId, contactClaim(contactId));
      const row = await identities.findOneAndUpdate(
        { _id },
        { $inc: { forget_rounds: 1, 'forgotten.visitors': forgotten.visitors, 'forgotten.events': forgotten.events } },
        { returnDocument: 'after' },
      );
      const isLast = (row?.forget_rounds ?? 0) >= forgetRounds;
      await identities.deleteMany({
        _id: { $in: (row?.names ?? []).map((name) => rowIdOf(accountId, name)) },
        'contacts.0': { $exists: false },
      });
      await identities.updateOne(
        { _id },
        isLast ? { $unset: { forget_at: '', names: '', forgotten: '' } } : { $set: { forget_at: new Date(now.getTime() + secondRoundMs) } },
      );
    },
  };
}
