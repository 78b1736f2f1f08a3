import { Contact } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import { refusal } from '@mp/contracts/permissions';
import { findContacts } from '@mp/contracts/requests/find-contacts';
import type { ContactId } from '@mp/ids';
import { z } from 'zod';
import type { Broker } from './broker.ts';
import type { Principal } from './create-server.ts';

const describedAs =
  "`contact`: also return each row's contact, as `GET /v2/contacts/:id` does, in the field `contact`. Requires the scope `contacts:read`.";

/** The `include` parameter of routes whose rows name a contact. */
export const includeContact = z.literal('contact').optional().describe(describedAs);

/** The same for routes that can include more, separated by commas: `others` describes what. */
export const includeContactAnd = <Name extends string>(name: Name, about: string) => {
  const names = ['contact', name] as const;
  const one = `(?:${names.join('|')})`;
  return z
    .string()
    .regex(new RegExp(`^${one}(?:,${one})*$`), `expected ${names.join(', ')} or both, separated by a comma`)
    .transform((text) => names.filter((known) => text.split(',').includes(known)))
    .optional()
    .describe(`${describedAs} ${about} Separate several with commas.`);
};

/** The field that `include=contact` adds to a row. */
export const includedContact = Contact.nullable()
  .optional()
  .describe('The contact, with `include=contact`; null if it was deleted. For a contact that was merged into another, the surviving one.');

/**
 * Reads the contacts of one page from the contacts service, together. Throws FORBIDDEN if the caller may not read contacts,
 * SERVICE_UNAVAILABLE if contacts does not reply. Returns the `contact` field for the id of a row.
 */
export async function includeContacts(broker: Pick<Broker, 'request'>, principal: Principal, ids: readonly (ContactId | null)[]) {
  const refused = refusal(principal, 'GET', 'contacts:read');
  if (refused) throw new ApiError('FORBIDDEN', `include=contact: ${refused}`);
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const found = new Map<ContactId, Contact>();
  const survivors = new Map<ContactId, ContactId>();
  await findContacts(broker.request, { account_id: principal.accountId, ids: wanted }, (contacts, merged) => {
    for (const contact of contacts) found.set(contact.id, contact);
    for (const { id, into } of merged) survivors.set(id, into);
  });
  return (id: ContactId | null): { contact: Contact | null } => ({
    contact: id === null ? null : (found.get(survivors.get(id) ?? id) ?? null),
  });
}

/** The rows with the contact that each names. */
export async function withContacts<Row extends object>(
  broker: Pick<Broker, 'request'>,
  principal: Principal,
  rows: readonly Row[],
  idOf: (row: Row) => ContactId | null,
) {
  const contactOf = await includeContacts(broker, principal, rows.map(idOf));
  return rows.map((row) => ({ ...row, ...contactOf(idOf(row)) }));
}
