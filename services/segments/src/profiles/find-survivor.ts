import { ContactsFind } from '@mp/contracts/questions/contacts';
import type { Broker } from '@mp/service-kit/broker';

export type FindSurvivor = ReturnType<typeof createFindSurvivor>;

/**
 * The contact that another one was merged into; undefined where it was not. Contacts alone keeps merges for as long as
 * they can be asked for. Throws SERVICE_UNAVAILABLE when it does not reply.
 */
export const createFindSurvivor = (broker: Pick<Broker, 'ask' | 'ready'>) => async (accountId: string, contactId: string) => {
  if (!broker.ready()) return undefined;
  const { merged } = await broker.ask(ContactsFind, { account_id: accountId, ids: [contactId] });
  return merged.find(({ id }) => id === contactId)?.into;
};
