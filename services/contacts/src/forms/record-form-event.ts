import type { EventType } from '@mp/contracts/event';
import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { z } from 'zod';
import type { TimelineStore } from '../timeline/timeline-store.ts';

type OfContact = z.ZodType<{ contact_id: ContactId; at: string }, { contact_id: string; at: string }>;

export type RecordFormEvent = ReturnType<typeof createRecordFormEvent>;

/** Publishes what a contact did with a form, and adds it to the timeline of the contact. */
export function createRecordFormEvent({ outbox, timeline }: { outbox: Outbox; timeline: Pick<TimelineStore, 'add'> }) {
  return async function recordFormEvent<Data extends OfContact>(
    tx: Transaction,
    event: EventType<Data>,
    accountId: AccountId,
    data: z.input<Data>,
  ) {
    await outbox.add(tx, event, accountId, data);
    const { contact_id, at, ...facts } = event.data.parse(data);
    await timeline.add(tx, accountId, [{ contact_id, at: new Date(at), kind: 'form', type: event.type, facts }]);
  };
}
