import { EventEnvelope } from '@mp/contracts/event';
import type { OutboxRow } from '@mp/service-kit/outbox-row';
import type { Db } from 'mongodb';

type Data = ReturnType<typeof JSON.parse>;

/** What a service's outbox holds, waiting or published, in the order it was written: of one account, of one type, or all of it. */
export async function writtenEvents(db: Db, of: { accountId?: string | undefined; subject?: string } = {}) {
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
      const told: Data = data;
      return { id, subject, envelope: { ...around, data: told } };
    });
}
