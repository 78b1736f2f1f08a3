import { ContactDeleted } from '@mp/contracts/events/contacts';
import type { AccountId, ContactId } from '@mp/ids';
import { on } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { IdentitiesStore } from './identities-store.ts';

type Deps = {
  identities: IdentitiesStore;
  onGone: (tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]) => Promise<void>;
};

/**
 * The contact's visitors and events become anonymous in the background; analytics do not change. `onGone` is called with contacts that
 * can no longer return.
 */
export const onContactDeleted = ({ identities, onGone }: Deps) =>
  on(ContactDeleted, async (tx, { account_id, data }) => {
    const { contact_id, revision, merged_into, merged_ids = [], erased = false, restorable_until } = data;
    // An erased contact must not be cleared as a deleted one first: its data could not be found afterwards.
    if (erased) await identities.erase(tx, account_id, contact_id);
    else await identities.tombstone(tx, account_id, { contactId: contact_id, revision, mergedInto: merged_into });
    // Contacts merged into one that can be restored return if that merge is undone then.
    if (restorable_until !== undefined) return;
    const discard = erased ? identities.erase : identities.forget;
    for (const id of merged_ids) await discard(tx, account_id, id);
    if (merged_into === undefined) await onGone(tx, account_id, [contact_id, ...merged_ids]);
  });
