import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { on } from '@mp/service-kit/consume';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import type { IdentitiesStore } from './identities-store.ts';
import { learnContact } from './learn-contact.ts';

type Stores = { identities: IdentitiesStore; visitors: VisitorsStore };

export const onContactCreated = (stores: Stores) =>
  on(ContactCreated, (tx, { account_id, data }) => learnContact(tx, stores, account_id, data.contact));

export const onContactUpdated = (stores: Stores) =>
  on(ContactUpdated, (tx, { account_id, data }) => learnContact(tx, stores, account_id, data.contact));
