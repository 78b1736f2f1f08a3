import { type Contact, emailKey } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import type { Collection, Filter, FindCursor } from 'mongodb';
import { type ContactDocument, contactOf, emailKeys } from './contact-document.ts';

type Contacts = Collection<ContactDocument>;

/** NATS limits a message to 1 MiB; the envelope and the ids that are left off need room too. */
const maxReplyBytes = 768 * 1024;

/** The first rows that together fit into a reply, at least one, and whether there were more. */
async function asManyAsFit(rows: FindCursor<ContactDocument>) {
  const taken: { contact: Contact; mergedIds: readonly ContactId[] }[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const contact = contactOf(row);
    bytes += Buffer.byteLength(JSON.stringify(contact));
    if (taken.length > 0 && bytes > maxReplyBytes) return { taken, isCut: true };
    taken.push({ contact, mergedIds: row.merged_ids ?? [] });
  }
  return { taken, isCut: false };
}

/** Contacts in id order; `next` is null at the end. */
export async function pageThatFits(contacts: Contacts, accountId: AccountId, after: ContactId | null, limit: number) {
  const rows = contacts
    .find({ account_id: accountId, ...(after && { _id: { $gt: after } }) })
    .sort({ _id: 1 })
    .limit(limit);
  const { taken, isCut } = await asManyAsFit(rows);
  return {
    contacts: taken.map(({ contact }) => contact),
    next: isCut || taken.length === limit ? (taken.at(-1)?.contact.id ?? null) : null,
  };
}

type Named = { ids: readonly ContactId[]; emails: readonly string[]; external_ids: readonly string[] };

/** Contacts by id, by the id of a contact merged into them, by email or by external id. Names what did not fit in `left_off`. */
export async function findThatFit(contacts: Contacts, accountId: AccountId, { ids, emails, external_ids }: Named) {
  // An external id is never empty, and its partial index has no empty values.
  const externalIds = external_ids.filter((id) => id !== '');
  const named: Filter<ContactDocument>[] = [
    { account_id: accountId, _id: { $in: [...ids] } },
    { account_id: accountId, email_key: { $in: emailKeys(emails) } },
    { account_id: accountId, external_id: { $in: externalIds } },
    { account_id: accountId, merged_ids: { $in: [...ids] } },
  ];
  const { taken, isCut } = await asManyAsFit(contacts.find({ $or: named }));
  const requestedIds = new Set(ids);
  const found = taken.map(({ contact }) => contact);
  const merged = taken.flatMap(({ contact, mergedIds }) =>
    mergedIds.filter((id) => requestedIds.has(id)).map((id) => ({ id, into: contact.id })),
  );
  if (!isCut) return { contacts: found, merged };
  const returnedIds = new Set([...found, ...merged].map(({ id }) => id));
  const returnedEmails = new Set(found.map(({ email }) => email && emailKey(email)));
  const returnedExternalIds = new Set(found.map(({ external_id }) => external_id));
  const left_off = {
    ids: ids.filter((id) => !returnedIds.has(id)),
    emails: emails.filter((email) => !returnedEmails.has(emailKey(email))),
    external_ids: externalIds.filter((id) => !returnedExternalIds.has(id)),
  };
  return { contacts: found, merged, left_off };
}
