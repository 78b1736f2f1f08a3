import type { Contact } from '@mp/contracts/contact';
import { ContactsFind } from '@mp/contracts/questions/contacts';
import type { Broker } from '@mp/service-kit/broker';

export type FetchContact = ReturnType<typeof createFetchContact>;

/**
 * A whole contact as it is now, also by the id of one that was merged into it; undefined when the account has none. Throws
 * SERVICE_UNAVAILABLE without a reply from contacts.
 */
export const createFetchContact =
  ({ broker }: { broker: Pick<Broker, 'ask'> }) =>
  async (accountId: string, id: string): Promise<Contact | undefined> =>
    (await broker.ask(ContactsFind, { account_id: accountId, ids: [id] })).contacts[0];
