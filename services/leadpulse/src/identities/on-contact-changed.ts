import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { onAll } from '@mp/service-kit/consume';
import { learnContacts, type Stores } from './learn-contact.ts';

export const onContactChanged = (stores: Stores) =>
  [ContactCreated, ContactUpdated].map((event) =>
    onAll(event, (tx, events) =>
      learnContacts(
        tx,
        stores,
        events.map(({ account_id, data: { contact } }) => ({ accountId: account_id, contact })),
      ),
    ),
  );
