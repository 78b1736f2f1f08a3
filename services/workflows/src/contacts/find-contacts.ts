import { emailKey } from '@mp/contracts/contact';
import { findContacts as askForContacts } from '@mp/contracts/questions/find-contacts';
import type { Broker } from '@mp/service-kit/broker';
import type { ContactsStore, KnownContact } from './contacts-store.ts';

/** A contact named by its id or its e-mail. */
export type Named = { contact_id: string } | { email: string };

export type FindContacts = ReturnType<typeof createFindContacts>;

/**
 * Finds contacts in the projection, and asks the contacts service for those whose event has not arrived yet. Answers in
 * the order asked; undefined for one that the account does not have. Throws SERVICE_UNAVAILABLE when it cannot tell.
 */
export function createFindContacts(contacts: ContactsStore, broker: Pick<Broker, 'ask'>) {
  return async function findContacts(accountId: string, named: readonly Named[]): Promise<(KnownContact | undefined)[]> {
    const ids = named.flatMap((one) => ('contact_id' in one ? [one.contact_id] : []));
    const emails = named.flatMap((one) => ('email' in one ? [emailKey(one.email)] : []));
    const known = await contacts.find(accountId, ids, emails);
    const byId = new Map(known.map((contact) => [contact.id, contact]));
    const byEmail = new Map<string, KnownContact>(
      known.flatMap((contact) => (contact.email_key === null ? [] : [[contact.email_key, contact]])),
    );
    const asked = {
      ids: ids.filter((id) => !byId.has(id)),
      emails: emails.filter((email) => !byEmail.has(email)),
    };
    const told = new Map<string, KnownContact>();
    await askForContacts(broker.ask, { account_id: accountId, ...asked }, (found) => {
      for (const { id, email, revision } of found) {
        const contact = { id, email_key: email === null ? null : emailKey(email), revision };
        told.set(id, contact);
        if (contact.email_key !== null) byEmail.set(contact.email_key, contact);
      }
    });
    return named.map((one) => {
      if ('email' in one) return byEmail.get(emailKey(one.email));
      const here = byId.get(one.contact_id);
      return here ? (here.deleted ? undefined : here) : told.get(one.contact_id);
    });
  };
}
