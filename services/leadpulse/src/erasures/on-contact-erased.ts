import { ContactErased } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { ErasuresStore } from '@mp/service-kit/erasures-store';
import type { IdentitiesStore } from '../identities/identities-store.ts';

/** What is kept of the person, under every id it had, goes in the background, which then confirms it. */
export const onContactErased = ({ identities, erasures }: { identities: IdentitiesStore; erasures: ErasuresStore }) =>
  on(ContactErased, async (tx, { account_id, data }) => {
    const { erasure_id, contact_id, merged_ids } = data;
    const contactIds = [contact_id, ...merged_ids];
    for (const id of contactIds) await identities.erase(tx, account_id, id);
    await erasures.add(tx, { id: erasure_id, accountId: account_id, contactId: contact_id, contactIds, correlationId: tx.correlationId });
  });
