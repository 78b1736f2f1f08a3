import { emailKey } from '@mp/contracts/contact';
import { findContacts as askForContacts } from '@mp/contracts/requests/find-contacts';
import type { AccountId, ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { ContactsStore, KnownContact } from './contacts-store.ts';

/** Names a contact by its id, which may be one from before a merge, or by its email. */
export type Named = { contact_id: ContactId } | { email: string };

export type FindContacts = ReturnType<typeof createFindContacts>;

/**
 * Finds contacts in the projection, and requests from the contacts service those whose event has not arrived yet or that
 * are known under another id. Returns ids in the order given, undefined for contacts that the account does not have. Throws
 * SERVICE_UNAVAILABLE when contacts does not reply.
 */
export function createFindContacts(contacts: ContactsStore, broker: Pick<Broker, 'request'>) {
  return async function findContacts(accountId: AccountId, named: readonly Named[]): Promise<(KnownContact | undefined)[]> {
    const ids = named.flatMap((one) => ('contact_id' in one ? [one.contact_id] : []));
    const emails = named.flatMap((one) => ('email' in one ? [emailKey(one.email)] : []));
    const heardOf = await contacts.find(accountId, ids, emails);
    const mergedInto = new Map<ContactId, ContactId>();
    for (const { id, deleted } of heardOf) {
      const survivor = deleted ? await contacts.survivorOf(accountId, id) : undefined;
      if (survivor !== undefined) mergedInto.set(id, survivor);
    }
    const survivors = mergedInto.size > 0 ? await contacts.find(accountId, [...mergedInto.values()], []) : [];
    const byId = new Map<ContactId, KnownContact>();
    const byEmail = new Map<string, KnownContact>();
    for (const contact of [...heardOf, ...survivors].filter(({ deleted }) => !deleted)) {
      byId.set(contact.id, contact);
      if (contact.email_key !== null) byEmail.set(contact.email_key, contact);
    }
    const wanted = {
      ids: ids.filter((id) => !byId.has(mergedInto.get(id) ?? id)),
      emails: emails.filter((email) => !byEmail.has(email)),
    };
    await askForContacts(broker.request, { account_id: accountId, ...wanted }, (found, merged) => {
      for (const { id, email, revision } of found) {
        const contact = { id, email_key: email === null ? null : emailKey(email), revision };
        byId.set(id, contact);
        if (contact.email_key !== null) byEmail.set(contact.email_key, contact);
      }
      for (const { id, into } of merged) mergedInto.set(id, into);
    });
    return named.map((one) => {
      if ('email' in one) return byEmail.get(emailKey(one.email));
      return byId.get(mergedInto.get(one.contact_id) ?? one.contact_id);
    });
  };
}
