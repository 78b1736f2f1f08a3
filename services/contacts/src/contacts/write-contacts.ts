import type { Contact } from '@mp/contracts/contact';
import type { AccountId } from '@mp/ids';
import { insertAll } from '@mp/service-kit/insert-all';
import type { Transaction } from '@mp/service-kit/mongo';
import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb';
import type { createContactConflicts } from './contact-conflicts.ts';
import { type ContactDocument, documentOf, optionalFields } from './contact-document.ts';

/** A contact to be written; `releasesIdentifier` if another one in the same write takes one of its identifiers. */
type Written = { contact: Contact; isNew: boolean; releasesIdentifier?: boolean };

type Deps = {
  db: Db;
  contacts: Collection<ContactDocument>;
  conflict: ReturnType<typeof createContactConflicts>['conflict'];
};

export function createWriteContacts({ db, contacts, conflict }: Deps) {
  /**
   * Writes new contacts and new revisions. Throws the duplicate key error if another contact has one of their identifiers,
   * or CONFLICT if there is a single contact and `onConflict` is given.
   */
  return async function write(
    tx: Transaction,
    accountId: AccountId,
    written: readonly Written[],
    onConflict: false | { nameExisting: boolean },
  ) {
    const [created, changed] = [written.filter(({ isNew }) => isNew), written.filter(({ isNew }) => !isNew)];
    // Contacts may swap identifiers, and then no order of replacements avoids a duplicate.
    const releases = changed.filter(({ releasesIdentifier }) => releasesIdentifier).map((one) => releaseOf(accountId, one));
    const replacements = [...releases, ...changed.map((one) => replacementOf(accountId, one))];
    const documents = created.map(({ contact }) => documentOf(accountId, contact));
    try {
      // Replacements come first, because a new contact may take an identifier that another one gives up.
      if (replacements.length > 0) await contacts.bulkWrite(replacements, { session: tx.session });
      await insertAll(db, contacts, documents, tx);
    } catch (error) {
      throw onConflict && written.length === 1 && written[0]
        ? await conflict(error, written[0].contact, accountId, onConflict.nameExisting)
        : error;
    }
  };
}

/** Removes all identifiers of the contact until its own replacement follows. */
const releaseOf = (accountId: AccountId, { contact: { id } }: Written): AnyBulkWriteOperation<ContactDocument> => ({
  updateOne: {
    filter: { _id: id, account_id: accountId },
    update: { $set: { external_id: null, phone: null }, $unset: { email_key: '' } },
  },
});

function replacementOf(accountId: AccountId, { contact }: Written): AnyBulkWriteOperation<ContactDocument> {
  const document = documentOf(accountId, contact);
  const { _id, ...members } = document;
  const absent = optionalFields.filter((name) => !(name in document));
  const $unset = Object.fromEntries(absent.map((name) => [name, '' as const]));
  return { updateOne: { filter: { _id, account_id: accountId }, update: { $set: members, ...(absent.length > 0 && { $unset }) } } };
}
