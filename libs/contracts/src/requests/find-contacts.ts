import type { AccountId, ContactId } from '@mp/ids';
import type { z } from 'zod';
import { ContactsFind, maxFound } from './contacts.ts';

type Wanted = { account_id: AccountId; ids?: readonly ContactId[]; emails?: readonly string[]; external_ids?: readonly string[] };
type Reply = z.output<typeof ContactsFind.reply>;

/**
 * Finds any number of contacts, in as many requests as needed: a reply holds only some of them when they are large. Calls `each`
 * with every reply. Terminates, because each reply resolves at least one of the requested contacts.
 */
export async function findContacts(
  send: (type: typeof ContactsFind, request: z.input<typeof ContactsFind.request>) => Promise<Reply>,
  { account_id, ids = [], emails = [], external_ids = [] }: Wanted,
  each: (contacts: Reply['contacts'], merged: Reply['merged']) => Promise<void> | void,
): Promise<void> {
  let waiting = { ids: [...ids], emails: [...emails], external_ids: [...external_ids] };
  while (waiting.ids.length + waiting.emails.length + waiting.external_ids.length > 0) {
    const batch = {
      ids: waiting.ids.slice(0, maxFound),
      emails: waiting.emails.slice(0, maxFound),
      external_ids: waiting.external_ids.slice(0, maxFound),
    };
    const { contacts, merged, left_off } = await send(ContactsFind, { account_id, ...batch });
    waiting = {
      ids: [...left_off.ids, ...waiting.ids.slice(maxFound)],
      emails: [...left_off.emails, ...waiting.emails.slice(maxFound)],
      external_ids: [...left_off.external_ids, ...waiting.external_ids.slice(maxFound)],
    };
    await each(contacts, merged);
  }
}
