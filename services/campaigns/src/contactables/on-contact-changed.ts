import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { ContactablesStore } from './contactables-store.ts';

/** Keeps the projection of contacts. */
export const onContactChanged = (contactables: ContactablesStore) => [
  on(ContactCreated, (tx, { account_id, data: { contact } }) => contactables.put(tx, account_id, contact.id, contact.revision, contact)),
  on(ContactUpdated, (tx, { account_id, data: { contact } }) => contactables.put(tx, account_id, contact.id, contact.revision, contact)),
  on(ContactDeleted, (tx, { account_id, data: { contact_id, revision } }) => contactables.put(tx, account_id, contact_id, revision, null)),
];
