import type { Contact } from '@mp/contracts/contact';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { onAll } from '@mp/service-kit/consume';
import type { RecipientsQueue } from '../../ledger/recipients/recipients-queue.ts';
import type { SettleDelivered } from '../../ledger/recipients/settle-delivered.ts';
import type { ContactablesStore } from './contactables-store.ts';
import type { SuppressionsStore } from './suppressions-store.ts';

type Deps = {
  contactables: ContactablesStore;
  suppressions: SuppressionsStore;
  settleDelivered: SettleDelivered;
  queue: Pick<RecipientsQueue, 'recheckContact'>;
  /** Called when emails have become due. */
  onDue: () => void;
};

/**
 * Updates the projection of contacts. A contact that becomes `complained` has complained about its latest email, unless a
 * provider has said which one it was. Emails that wait follow a new time zone or address.
 */
export const onContactChanged = ({ contactables, suppressions, settleDelivered, queue, onDue }: Deps) => [
  onAll(ContactCreated, (tx, events) => contactables.put(tx, events.map(contactOf))),
  onAll(ContactUpdated, async (tx, events) => {
    await contactables.put(tx, events.map(contactOf));
    for (const { account_id, data } of events) {
      const { contact, changed } = data;
      const [timezone, email] = [changed.includes('timezone'), changed.includes('email')];
      if (timezone || email) {
        await queue.recheckContact(tx, account_id, contact.id, { timezone, email });
        tx.afterCommit(onDue);
      }
      if (contact.status !== 'complained' || !changed.includes('status')) continue;
      if (contact.email === null || !(await suppressions.hasComplained(tx, account_id, contact.email)))
        await settleDelivered.complained(tx, account_id, contact.id, new Date(contact.updated_at));
    }
  }),
  onAll(ContactDeleted, (tx, events) =>
    contactables.put(
      tx,
      events.map(({ account_id, data: { contact_id, revision } }) => ({ account_id, id: contact_id, revision, contact: null })),
    ),
  ),
];

const contactOf = ({ account_id, data: { contact } }: EventEnvelope<{ contact: Contact }>) => ({
  account_id,
  id: contact.id,
  revision: contact.revision,
  contact,
});
