import { ContactErased } from '@mp/contracts/events/contacts';
import type { ErasuresStore } from '@mp/erasures/erasures-store';
import { on } from '@mp/service-kit/consume';
import type { FormContactsStore } from '../forms/form-contacts-store.ts';
import type { IdentitiesStore } from '../identities/identities-store.ts';

type Deps = { identities: IdentitiesStore; erasures: ErasuresStore; formContacts: Pick<FormContactsStore, 'expire'> };

/** Marks the contact as erased under every ID it had. Its data is then removed in the background, and the erasure confirmed. */
export const onContactErased = ({ identities, erasures, formContacts }: Deps) =>
  on(ContactErased, async (tx, { account_id, data }) => {
    const { erasure_id, contact_id, merged_ids } = data;
    const contactIds = [contact_id, ...merged_ids];
    for (const id of contactIds) await identities.erase(tx, account_id, id);
    await formContacts.expire(tx, account_id, contactIds);
    await erasures.add(tx, { id: erasure_id, accountId: account_id, contactId: contact_id, contactIds, correlationId: tx.correlationId });
  });
