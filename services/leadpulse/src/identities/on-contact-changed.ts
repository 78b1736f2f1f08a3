import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import { learnContact, type Stores } from './learn-contact.ts';

export const onContactCreated = (stores: Stores) =>
  on(ContactCreated, (tx, { account_id, data }) => learnContact(tx, stores, account_id, data.contact));

export const onContactUpdated = (stores: Stores) =>
  on(ContactUpdated, (tx, { account_id, data }) => learnContact(tx, stores, account_id, data.contact));
