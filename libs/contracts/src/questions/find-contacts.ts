import type { z } from 'zod';
import { ContactsFind, foundAtOnce } from './contacts.ts';

type Asked = { account_id: string; ids?: readonly string[]; emails?: readonly string[] };
type Answer = z.output<typeof ContactsFind.answer>;

/**
 * Finds any number of contacts: in as many questions as it takes, because an answer holds only some when they are large.
 * Each part is given to `each` when it comes. Ends, because every answer that leaves some off has one that was asked for.
 */
export async function findContacts(
  ask: (question: typeof ContactsFind, asked: z.input<typeof ContactsFind.ask>) => Promise<Answer>,
  { account_id, ids = [], emails = [] }: Asked,
  each: (contacts: Answer['contacts'], merged: Answer['merged']) => Promise<void> | void,
): Promise<void> {
  let [waitingIds, waitingEmails] = [[...ids], [...emails]];
  while (waitingIds.length + waitingEmails.length > 0) {
    const asked = { ids: waitingIds.slice(0, foundAtOnce), emails: waitingEmails.slice(0, foundAtOnce) };
    const { contacts, merged, left_off } = await ask(ContactsFind, { account_id, ...asked });
    waitingIds = [...left_off.ids, ...waitingIds.slice(foundAtOnce)];
    waitingEmails = [...left_off.emails, ...waitingEmails.slice(foundAtOnce)];
    await each(contacts, merged);
  }
}
