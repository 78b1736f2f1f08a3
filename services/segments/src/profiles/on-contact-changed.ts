import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { type EventHandler, on } from '@mp/service-kit/consume';
import type { ApplyContact } from './apply-contact.ts';

/** Follows contacts: a late event of an earlier revision changes nothing. */
export const onContactChanged = ({ apply, applyDeletion }: ApplyContact): EventHandler[] => [
  on(ContactCreated, (tx, { account_id, data }) => apply(tx, account_id, data.contact)),
  on(ContactUpdated, (tx, { account_id, data }) => apply(tx, account_id, data.contact)),
  on(ContactDeleted, (tx, { account_id, data }) => applyDeletion(tx, account_id, data.contact_id, data.revision)),
];
