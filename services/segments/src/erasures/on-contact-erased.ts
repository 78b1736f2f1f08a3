import { ContactErased } from '@mp/contracts/events/contacts';
import type { ErasuresStore } from '@mp/erasures/erasures-store';
import { on } from '@mp/service-kit/consume';
import type { ApplyContact } from '../profiles/apply-contact.ts';

type Deps = { contacts: ApplyContact; erasures: ErasuresStore; wake: () => void };

/** Removes the contact from every segment, under every id it had. The background eraser removes its data and confirms it. */
export const onContactErased = ({ contacts, erasures, wake }: Deps) =>
  on(ContactErased, async (tx, { account_id, data }) => {
    const { erasure_id, contact_id, merged_ids } = data;
    const contactIds = [contact_id, ...merged_ids];
    for (const id of contactIds) await contacts.applyErasure(tx, account_id, id);
    await erasures.add(tx, { id: erasure_id, accountId: account_id, contactId: contact_id, contactIds, correlationId: tx.correlationId });
    tx.afterCommit(wake);
  });
