import { EventEnvelope } from '@mp/contracts/event';
import type { AccountId } from '@mp/ids';
import type { OutboxRow } from '@mp/service-kit/outbox-row';
import type { Db } from 'mongodb';

type Data = ReturnType<typeof JSON.parse>;

/** The events in a service's outbox, pending or published, in order; optionally of one account or type. */
export async function writtenEvents(db: Db, of: { accountId?: AccountId | undefined; subject?: string } = {}) {
  const rows = await db
    .collection<OutboxRow>('outbox')
    .find(of.accountId === undefined ? {} : { 'events.account_id': of.accountId })
    .sort({ _id: 1 })
    .toArray();
  return rows
    .flatMap(({ events }) => events)
    .filter(({ account_id, subject }) => account_id === (of.accountId ?? account_id) && subject === (of.subject ?? subject))
    .map(({ id, subject, envelope }) => {
      const { data, ...around } = EventEnvelope.parse(JSON.parse(envelope));
      const content: Data = data;
      return { id, subject, envelope: { ...around, data: content } };
    });
}
