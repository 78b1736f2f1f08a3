import type { AccountId, ContactId, FormId } from '@mp/ids';
import type { Collection, Filter } from 'mongodb';
import { countedVisitor, type EventDocument } from './event-document.ts';

type Range = { from: Date; to: Date };

type OrderEvent = { contact_id: ContactId | null; time: Date; value: { units: number; currency: string } };

/** `$gt: ''` instead of `$exists`: MongoDB 4.0 infers from it that the query matches nothing outside the partial index. */
export const valueFilter = { 'value.currency': { $gt: '' } } as const;

export type OrderEvents = ReturnType<typeof createOrderEvents>;

/** The counted events with a value, which are orders and what was paid back. Those of robots are left out. */
export function createOrderEvents(events: Collection<EventDocument>) {
  async function* read(filter: Filter<EventDocument>): AsyncGenerator<OrderEvent> {
    const rows = events
      .find({ ...filter, visitor: countedVisitor, bot: false })
      .project<Pick<EventDocument, 'contact_id' | 'time' | 'value'>>({
        ...{ _id: 0, contact_id: 1, time: 1, value: 1 },
      });
    for await (const { contact_id, time, value } of rows) if (value) yield { contact_id, time, value };
  }

  return {
    ofContacts: (accountId: AccountId, contactIds: readonly ContactId[], { from, to }: Range) =>
      read({ account_id: accountId, contact_id: { $in: [...contactIds] }, ...valueFilter, time: { $gte: from, $lt: to } }),

    /** Those of contacts that the form created and that the account no longer has. */
    ofForm: (accountId: AccountId, formId: FormId, { from, to }: Range) =>
      read({ account_id: accountId, form_id: formId, time: { $gte: from, $lt: to } }),

    /** Writes the form that created a contact to its orders since then, before they lose the contact. */
    async nameForm(accountId: AccountId, contactId: ContactId, { form_id, at }: { form_id: FormId; at: Date }) {
      await events.updateMany({ account_id: accountId, contact_id: contactId, ...valueFilter, time: { $gte: at } }, { $set: { form_id } });
    },
  };
}
