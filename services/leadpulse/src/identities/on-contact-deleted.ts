import { ContactDeleted } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { IdentitiesStore } from './identities-store.ts';

/** The contact's visitors and events become anonymous in the background; analytics do not change. */
export const onContactDeleted = (identities: IdentitiesStore) =>
  on(ContactDeleted, async (tx, { account_id, data }) => {
    const { contact_id, revision, merged_into, merged_ids = [], erased = false, restorable_until } = data;
    // An erased contact must not be cleared as a deleted one first: its data could not be found afterwards.
    if (erased) await identities.erase(tx, account_id, contact_id);
    else await identities.tombstone(tx, account_id, { contactId: contact_id, revision, mergedInto: merged_into });
    // Contacts merged into one that can be restored return if that merge is undone then.
    if (restorable_until !== undefined) return;
    const discard = erased ? identities.erase : identities.forget;
    for (const id of merged_ids) await discard(tx, account_id, id);
  });
