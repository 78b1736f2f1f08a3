import type { AccountId, ContactId, VisitorId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { type Collection, type Db, MongoBulkWriteError } from 'mongodb';
import { maxRetentionDays } from '../time/retention-days.ts';
import type { Event } from './event.ts';
import { createEventContacts } from './event-contacts.ts';
import { countedVisitor, documentOf, type EventDocument, eventOf, type NewEvent } from './event-document.ts';
import { createEventLists } from './event-lists.ts';
import { createEventsQueue } from './events-queue.ts';
import { createOrderEvents, valueFilter } from './order-events.ts';
import { createReportEvents } from './report-events.ts';
import { createSetAsideEvents } from './set-aside-events.ts';

/** The result of storing an event. `id` is its own ID, or that of the event with the same message ID. */
export type Stored = { status: 'accepted' | 'duplicate'; id: string };

export type EventsStore = ReturnType<typeof createEventsStore>;

const day = 24 * 60 * 60;

/** The retention worker deletes what the settings of its account no longer store; this only ends what it cannot. */
const expireAfterSeconds = (maxRetentionDays + 1) * day;

/** Extends the index of an earlier version, which ended every event after 400 days. */
async function extendExpiry(events: Collection<EventDocument>, db: Db) {
  const [present] = await db.listCollections({ name: events.collectionName }, { nameOnly: true }).toArray();
  const expiry = present && (await events.indexes()).find(({ name }) => name === 'expiry');
  if (expiry && expiry.expireAfterSeconds !== expireAfterSeconds)
    await db.command({ collMod: events.collectionName, index: { name: 'expiry', expireAfterSeconds } });
}

/**
 * Owns the `events` collection. Every query names the account, except those of the queue. Counting writes by ID alone what it
 * has read for the account in the same transaction: MongoDB 4.0 plans a filter with more members anew for each row, at five times the cost.
 */
export function createEventsStore(db: Db) {
  const events = db.collection<EventDocument>('events');

  /** The stored events by account and message ID. */
  async function findByMessage(these: readonly Event[]) {
    const byAccount = Map.groupBy(these, ({ account_id }) => account_id);
    const found = await Promise.all(
      [...byAccount].map(([account_id, own]) =>
        events
          .find({ account_id, message_id: { $in: own.map(({ message_id }) => message_id) } })
          .project<Pick<EventDocument, '_id' | 'account_id' | 'message_id' | 'call'>>({ account_id: 1, message_id: 1, call: 1 })
          .toArray(),
      ),
    );
    return new Map(found.flat().map((row) => [`${row.account_id} ${row.message_id}`, row]));
  }

  return {
    ...createEventsQueue(events),
    ...createSetAsideEvents(events),
    ...createEventLists(events),
    ...createReportEvents(events),
    orders: createOrderEvents(events),
    ...createEventContacts(events),

    async prepare() {
      await extendExpiry(events, db);
      await prepareCollection(
        events,
        // `$gt: ''` instead of `$type`: MongoDB 4.0 does not infer `$type` from an equality, and would not use the index.
        [
          { name: 'message', key: { account_id: 1, message_id: 1 }, unique: true },
          { name: 'queue', key: { pending: 1, account_id: 1, _id: 1 }, partialFilterExpression: { pending: true } },
          { name: 'parked', key: { parked: 1 }, partialFilterExpression: { parked: { $gt: '' } } },
          {
            name: 'visitor',
            key: { account_id: 1, visitor: 1, time: 1, _id: 1 },
            partialFilterExpression: { visitor: countedVisitor },
          },
          { name: 'time', key: { account_id: 1, time: 1, _id: 1 }, partialFilterExpression: { visitor: countedVisitor } },
          { name: 'name', key: { account_id: 1, name: 1, time: 1, _id: 1 }, partialFilterExpression: { visitor: countedVisitor } },
          { name: 'received', key: { account_id: 1, _id: 1 }, partialFilterExpression: { visitor: countedVisitor } },
          { name: 'contact', key: { account_id: 1, contact_id: 1, time: 1 }, partialFilterExpression: { contact_id: { $gt: '' } } },
          {
            name: 'orders',
            key: { account_id: 1, contact_id: 1, 'value.currency': 1, time: 1 },
            partialFilterExpression: { contact_id: { $gt: '' }, ...valueFilter },
          },
          { name: 'form', key: { account_id: 1, form_id: 1, time: 1 }, partialFilterExpression: { form_id: { $gt: '' } } },
          { name: 'claims', key: { account_id: 1, claims: 1 }, partialFilterExpression: { claims: { $gt: '' } } },
          { name: 'expiry', key: { time: 1 }, expireAfterSeconds },
        ],
        db,
      );
    },

    /** The accounts with stored events. */
    accounts: (): Promise<AccountId[]> => events.distinct('account_id', {}, { hint: 'message' }),

    /** Stores all events in one write and returns for each whether it is new. Resolves once they are durable. */
    async insert(these: readonly NewEvent[]): Promise<Stored[]> {
      const refused = new Set<number>();
      try {
        await events.insertMany(these.map(documentOf), { ordered: false });
      } catch (error) {
        if (!(error instanceof MongoBulkWriteError)) throw error;
        const faults = [error.writeErrors].flat();
        if (faults.length === 0 || faults.some(({ code }) => code !== 11_000)) throw error;
        for (const { index } of faults) refused.add(index);
      }
      const earlier =
        refused.size > 0 ? await findByMessage(these.filter((_, index) => refused.has(index)).map(({ event }) => event)) : undefined;
      return these.map(({ event, call }, index): Stored => {
        if (!refused.has(index)) return { status: 'accepted', id: event.id };
        const row = earlier?.get(`${event.account_id} ${event.message_id}`);
        const own = call !== undefined && row?.call === call;
        return { status: own ? 'accepted' : 'duplicate', id: row?._id ?? event.id };
      });
    },

    /** Deletes the counted events of a visitor. */
    async removeOfVisitor(accountId: AccountId, visitor: VisitorId) {
      await events.deleteMany({ account_id: accountId, visitor });
    },

    /** Deletes some counted events from before this time. Returns whether there may be more. */
    async removeBefore(accountId: AccountId, time: Date, limit: number): Promise<boolean> {
      const old = await events
        .find({ account_id: accountId, visitor: countedVisitor, time: { $lt: time } }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      await events.deleteMany({ _id: { $in: old.map(({ _id }) => _id) }, account_id: accountId });
      return old.length === limit;
    },

    /** The newest counted events of a visitor without a contact that have one of these claims, or, if `anonymous`, none. */
    async unattributed(
      tx: Transaction,
      accountId: AccountId,
      { visitor, claims, anonymous, limit }: { visitor: VisitorId; claims: readonly string[]; anonymous: boolean; limit: number },
    ) {
      const named = { claims: { $in: [...claims] } };
      const either = anonymous ? { $or: [named, { claims: [] }] } : named;
      const rows = await events
        .find({ account_id: accountId, visitor, contact_id: null, ...either }, { session: tx.session })
        .sort({ time: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return rows.map(eventOf);
    },

    async attribute(tx: Transaction, accountId: AccountId, ids: readonly string[], contactId: ContactId) {
      await events.updateMany(
        { _id: { $in: [...ids] }, account_id: accountId },
        { $set: { contact_id: contactId }, $unset: { form_id: '' } },
        { session: tx.session },
      );
    },

    /**
     * Makes the events of a contact anonymous by removing its ID and claims, and if it is erased, also their properties, page
     * and context. Returns the number of events that belonged to the contact.
     */
    async forget(accountId: AccountId, contactId: ContactId, claims: readonly string[], erased: boolean): Promise<number> {
      const own = { account_id: accountId, contact_id: contactId };
      const named = { account_id: accountId, claims: { $in: [...claims] }, visitor: countedVisitor };
      const silent = erased ? { ...clearedFields, claims: [] } : {};
      await events.updateMany({ ...named, visitor_key: { $in: [...claims] } }, { $set: { visitor_key: 'forgotten' } });
      if (erased) await events.updateMany({ ...own, visitor_id: null }, { $set: { visitor_key: 'forgotten' } });
      await events.updateMany(named, erased ? { $set: silent } : { $pullAll: { claims: [...claims] } });
      const { modifiedCount } = await events.updateMany(own, { $set: { contact_id: null, ...silent } });
      return modifiedCount;
    },
  };
}

/** Clears the personal fields of an event. Analytics keep what they have counted. */
const clearedFields: Pick<EventDocument, 'properties' | 'page' | 'context'> = {
  properties: [],
  page: null,
  context: { user_agent: null, network: null, locale: null, timezone: null, screen: null },
};
