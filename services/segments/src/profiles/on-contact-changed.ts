import type { Contact } from '@mp/contracts/contact';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactCreated, ContactDeleted, ContactUpdated } from '@mp/contracts/events/contacts';
import { type EventHandler, on, onAll } from '@mp/service-kit/consume';
import type { Transaction } from '@mp/service-kit/mongo';
import type { ApplyContact } from './apply-contact.ts';

/** Applies contact changes. A late event with an earlier revision changes nothing. */
export const onContactChanged = ({ apply, applyDeletion, applyErasure }: ApplyContact): EventHandler[] => [
  onAll(ContactCreated, applyEach(apply)),
  onAll(ContactUpdated, applyEach(apply)),
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

const applyEach = (apply: ApplyContact['apply']) => async (tx: Transaction, events: readonly EventEnvelope<{ contact: Contact }>[]) => {
  for (const [accountId, own] of Map.groupBy(events, ({ account_id }) => account_id))
    await apply(
      tx,
      accountId,
      own.map(({ data }) => data.contact),
    );
};
