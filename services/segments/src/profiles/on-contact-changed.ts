import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { ApplyContact } from './apply-contact.ts';

/** Applies contact changes. A late event with an earlier revision changes nothing. */
export const onContactChanged = ({ apply, applyDeletion, applyErasure }: ApplyContact): EventHandler[] => [
  on(ContactCreated, (tx, { account_id, data }) => apply(tx, account_id, data.contact)),
  on(ContactUpdated, (tx, { account_id, data }) => apply(tx, account_id, data.contact)),
  on(ContactDeleted, async (tx, { account_id, data }) => {
    const { contact_id, revision, merged_into, merged_ids = [], restorable_until } = data;
    await applyDeletion(tx, account_id, {
      contactId: contact_id,
      revision,
      canReturn: restorable_until !== undefined,
      mergedInto: merged_into,
    });
    if (restorable_until === undefined) for (const id of merged_ids) await applyErasure(tx, account_id, id);
  }),
];
