import { ContactDeleted } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { IdentitiesStore } from './identities-store.ts';

/** The contact's visitors and events become anonymous again, in the background; what they did stays counted. */
export const onContactDeleted = (identities: IdentitiesStore) =>
  on(ContactDeleted, async (tx, { account_id, data }) => {
    const { contact_id, revision, merged_into, merged_ids = [], erased = false } = data;
    // Were its traces cleared as those of a deleted one first, those of an erased one could not be found any more.
    if (erased) await identities.erase(tx, account_id, contact_id);
    else await identities.bury(tx, account_id, contact_id, revision, merged_into);
    const putAway = erased ? identities.erase : identities.forget;
    for (const id of merged_ids) await putAway(tx, account_id, id);
  });
