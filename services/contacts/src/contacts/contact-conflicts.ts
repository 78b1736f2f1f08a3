import { type Contact, emailKey } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import type { AccountId, ContactId } from '@mp/ids';
import { isDuplicateKey, type Transaction, transientError } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import type { ContactDocument } from './contact-document.ts';

/** An identifier that another contact has. */
export type Taken = { name: string; by: ContactId };

/** CONFLICT for identifiers that other contacts have. Names these contacts if `nameExisting`. */
export const allTaken = (taken: readonly Taken[], nameExisting: boolean, cause?: unknown) => {
  const named = taken.map(({ name, by }) => `this ${name}${nameExisting ? `: ${by}` : ''}`);
  return new ApiError('CONFLICT', `Another contact already has ${named.join(', and ')}.`, {
    details: taken.map(({ name, by }) => ({
      path: `/${name}`,
      code: 'duplicate',
      message: `${name} is unique in the account.`,
      ...(nameExisting && { existing_id: by }),
    })),
    cause,
  });
};

/** Finds the contacts that already have the identifiers of another. */
export function createContactConflicts(contacts: Collection<ContactDocument>) {
  return {
    /** Names the identifier that is taken, and the contact that has it if the caller may read contacts. */
    async conflict(error: unknown, contact: Contact, accountId: AccountId, nameExisting: boolean): Promise<unknown> {
      if (!isDuplicateKey(error)) return error;
      for (const [name, where] of Object.entries(identityOf(contact))) {
        const existing = await contacts.findOne({ account_id: accountId, ...where }, { projection: { _id: 1 } });
        if (!existing || existing._id === contact.id) continue;
        return allTaken([{ name, by: existing._id }], nameExisting, error);
      }
      return transientError('the contact that had the identifier gave it up concurrently');
    },

    /** The identifiers that other contacts have: for cases where a conflict must not abort the transaction. */
    async allTakenFrom(accountId: AccountId, contact: Contact, tx: Transaction): Promise<Taken[]> {
      const found: Taken[] = [];
      for (const [name, where] of Object.entries(identityOf(contact))) {
        const other = await contacts.findOne(
          { account_id: accountId, ...where, _id: { $ne: contact.id } },
          { session: tx.session, projection: { _id: 1 } },
        );
        if (other) found.push({ name, by: other._id });
      }
      return found;
    },
  };
}

/** One filter per identifier, each of which matches at most one contact of the account. */
function identityOf({ email, external_id, phone }: Contact) {
  return {
    ...(email && { email: { email_key: emailKey(email) } }),
    ...(external_id && { external_id: { external_id } }),
    ...(phone && { phone: { phone } }),
  };
}
