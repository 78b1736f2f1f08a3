import { ContactsFind } from '@mp/contracts/requests/contacts';
import type { AccountId, ContactId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';

export type FindSurvivor = ReturnType<typeof createFindSurvivor>;

/**
 * The contact that another one was merged into; undefined if it was not. Only the contacts service keeps all merges. Throws
 * SERVICE_UNAVAILABLE if it does not reply.
 */
export const createFindSurvivor = (broker: Pick<Broker, 'request' | 'ready'>) => async (accountId: AccountId, contactId: ContactId) => {
  if (!broker.ready()) return undefined;
  const { merged } = await broker.request(ContactsFind, { account_id: accountId, ids: [contactId] });
  return merged.find(({ id }) => id === contactId)?.into;
};
