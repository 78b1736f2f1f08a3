import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';

/**
 * One row for each identifier of a contact: `contact:…` with its revision and its other identifiers, `email:…` and
 * `external:…` with the contact that has it. An identifier without a contact also gets a row when an event claims it: the
 * waiting event and the new contact then write the same row, so that neither can miss the other.
 */
export type IdentityRow = ContactRow | IdentifierRow | UnclaimedRow;

type Row = {
  _id: string;
  account_id: AccountId;
  waiting?: number;
  /** The contacts service has been asked for it. */
  asked?: true;
};

/** `contact:…`, whether the contact exists or not. */
export type ContactRow = Row & {
  contact_id: ContactId;
  revision: number;
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
  contacts?: undefined;
  expires_at?: undefined;
};

/** `email:…` or `external:…` of contacts. More than one only while events of two contacts overlap. */
type IdentifierRow = Row & { contacts: ContactId[] } & { [other in Exclude<keyof ContactRow, keyof Row | 'contacts'>]?: undefined };

/** Any identifier that no contact has had: it is deleted when it expires, and written again by the next event that claims it. */
type UnclaimedRow = Row & { expires_at: Date } & { [other in Exclude<keyof ContactRow, keyof Row | 'expires_at'>]?: undefined };

/** How many visitors and events of a contact were cleared. */
export type Forgotten = { visitors: number; events: number };

export const contactClaim = (id: ContactId) => `contact:${id}`;

export const rowIdOf = (accountId: AccountId, claim: string) => `${accountId} ${claim}`;

const unclaimedMs = 30 * 24 * 60 * 60_000;

/** What a claim stores of an identifier that has no row yet. */
export const unclaimed = (account_id: AccountId) => ({ account_id, expires_at: new Date(Date.now() + unclaimedMs) });

export type IdentityRows = ReturnType<typeof createIdentityRows>;

/** Reads and releases the rows of claims. */
export function createIdentityRows(identities: Collection<IdentityRow>) {
  return {
    of: (accountId: AccountId, claims: readonly string[], tx?: Transaction) =>
      identities
        .find({ _id: { $in: claims.map((claim) => rowIdOf(accountId, claim)) } }, tx && { session: tx.session })
        .batchSize(claims.length + 1)
        .toArray(),

    /** The row of a contact; undefined while the contact is unknown. */
    async ofContact(tx: Transaction, accountId: AccountId, contactId: ContactId): Promise<ContactRow | undefined> {
      const row = await identities.findOne({ _id: rowIdOf(accountId, contactClaim(contactId)) }, { session: tx.session });
      return row?.contact_id === undefined ? undefined : row;
    },

    /** Takes identifiers from a contact. One that no contact has any more is deleted: it is personal, and nothing else reads it. */
    async release(tx: Transaction, accountId: AccountId, names: readonly string[], contactId: ContactId) {
      const { session } = tx;
      for (const name of names) {
        const _id = rowIdOf(accountId, name);
        await identities.updateOne({ _id }, { $pull: { contacts: contactId } }, { session });
        await identities.deleteOne({ _id, 'contacts.0': { $exists: false } }, { session });
      }
    },
  };
}
