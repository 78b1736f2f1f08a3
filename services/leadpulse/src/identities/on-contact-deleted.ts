import { ContactDeleted } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { IdentitiesStore } from './identities-store.ts';

/** The contact's visitors and events become anonymous again, in the background; what they did stays counted. */
export const onContactDeleted = (identities: IdentitiesStore) =>
  on(ContactDeleted, (tx, { account_id, data }) => identities.bury(tx, account_id, data.contact_id, data.revision));
