import type { Contact } from '@mp/contracts/contact';
import { ContactsFind } from '@mp/contracts/requests/contacts';
import type { AccountId, ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';

export type FetchContact = ReturnType<typeof createFetchContact>;

/**
 * Fetches the full contact, including by the id of a contact that was merged into it. Undefined when the account has no such
 * contact. Throws SERVICE_UNAVAILABLE when contacts does not reply.
 */
export const createFetchContact =
  ({ broker }: { broker: Pick<Broker, 'request'> }) =>
  async (accountId: AccountId, id: ContactId): Promise<Contact | undefined> =>
    (await broker.request(ContactsFind, { account_id: accountId, ids: [id] })).contacts[0];
