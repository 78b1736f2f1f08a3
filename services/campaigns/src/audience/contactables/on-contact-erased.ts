import { ContactErased } from '@mp/contracts/events/contacts';
import type { ErasuresStore } from '@mp/erasures/erasures-store';
import { on } from '@mp/service-kit/consume';
import type { ContactablesStore } from './contactables-store.ts';

type Deps = { contactables: ContactablesStore; erasures: ErasuresStore; wake: () => void };

/** Stops emailing the contact under every ID it had. The eraser then removes its data in the background and confirms the erasure. */
export const onContactErased = ({ contactables, erasures, wake }: Deps) =>
  on(ContactErased, async (tx, { account_id, data }) => {
    const { erasure_id, contact_id, merged_ids, revision } = data;
    const contactIds = [contact_id, ...merged_ids];
    await contactables.put(
      tx,
      contactIds.map((id) => ({ account_id, id, revision, contact: null })),
    );
    await erasures.add(tx, { id: erasure_id, accountId: account_id, contactId: contact_id, contactIds, correlationId: tx.correlationId });
    tx.afterCommit(wake);
  });
