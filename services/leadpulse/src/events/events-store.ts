import { type AccountId, type ContactId, trustedId, type VisitorId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { type AnyBulkWriteOperation, type Collection, type Db, MongoBulkWriteError } from 'mongodb';
import { quarterMs } from '../rollups/rollup.ts';
import { type Event, maxKeptDays } from './event.ts';
import { eventsFilter, type ListEventsQuery } from './event-filters.ts';
import type { PropertyValue } from './properties.ts';

type EventDocument = Omit<Event, 'id' | 'properties'> & {
  _id: string;
  /** Pairs, because keys may contain dots and dollar signs. */
  properties: { k: string; v: PropertyValue }[];
  /** Present until the event is counted; the collection is its own queue. */
  pending?: true;
  /** The request and index of an event sent with an Idempotency-Key, so that a repeated request recognises its own events. */
  call?: string;
  /** The ID of the visitor, once counted. */
  visitor: VisitorId | null;
  attempts?: number;
  /** Written by an earlier version, which stored only one claim. */
  claim?: string | null;
  /** Why the event was set aside, after counting it failed repeatedly. */
  parked?: string;
};

export type NewEvent = { event: Event; call?: string };

/** The result of storing an event. `id` is its own ID, or that of the event with the same message ID. */
export type Stored = { status: 'accepted' | 'duplicate'; id: string };

/**
 * What a report reads: a range, all events or only those of some names, whether bots count, and only people after this one.
 * Titles and URLs, which are long, are read only for the dimensions `title` and `host`.
 */
export type ReportQuery = {
  from: Date;
  to: Date;
  names?: readonly string[] | undefined;
  bots: boolean;
  after?: string | undefined;
  dimensions?: readonly string[];
};

/** A counted event as reports see it. */
export type ReportEvent = Pick<
  Event,
  'name' | 'time' | 'message_id' | 'bot' | 'utm' | 'country' | 'device' | 'browser' | 'os' | 'value' | 'properties'
> & {
  /** The ID of the contact, or of the survivor if it was merged, or of the visitor without a contact. */
  person: string;
  visitor: VisitorId;
  /** The path of the page; missing if the event has no page. */
  path?: string | null;
  title?: string | null;
  /** The beginning of the URL, with its host. */
  url?: string | null;
};

/** Events have a visitor once they are counted. */
const isCounted = { $gt: trustedId<'visitor'>('') };

/** What a stream reads: the events received in a span of IDs that match its filter. */
export type ReceivedQuery = { from: string; to: string; where: Record<string, unknown>; limit: number; maxMore: number };

const reportBatch = 2_000;

/** The host of a URL ends before this position, unless it follows a very long password. */
const maxHostEnd = 300;

const counted = (accountId: AccountId, { from, to, names, bots }: ReportQuery) => ({
  account_id: accountId,
  ...(names ? { name: { $in: [...names] } } : {}),
  time: { $gte: from, $lt: to },
  visitor: isCounted,
  ...(bots ? {} : { bot: false }),
});

export type EventsStore = ReturnType<typeof createEventsStore>;

const day = 24 * 60 * 60;
const maxAttempts = 8;

/** A filter without its own index compares the events that the others select. */
const maxListMs = 5_000;

/** The retention worker deletes what the settings of its account no longer store; this only ends what it cannot. */
const expireAfterSeconds = (maxKeptDays + 1) * day;

/** Extends the index of an earlier version, which ended every event after 400 days. */
async function extendExpiry(events: Collection<EventDocument>, db: Db) {
  const [present] = await db.listCollections({ name: events.collectionName }, { nameOnly: true }).toArray();
  const expiry = present && (await events.indexes()).find(({ name }) => name === 'expiry');
  if (expiry && expiry.expireAfterSeconds !== expireAfterSeconds)
    await db.command({ collMod: events.collectionName, index: { name: 'expiry', expireAfterSeconds } });
}

/** The only access to the `events` collection. Every query names the account, except those of the queue. */
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

  /** MongoDB sorts on disk if necessary, so memory does not grow with the number of events. */
  async function* sortedBy(person: unknown, accountId: AccountId, asked: ReportQuery): AsyncGenerator<ReportEvent> {
    const found = events.aggregate<ReportEvent & { pairs: EventDocument['properties'] }>(
      [
        { $match: counted(accountId, asked) },
        {
          $project: {
            ...{ _id: 0, person, visitor: 1, bot: 1, name: 1, time: 1, message_id: 1, path: '$page.path', utm: 1 },
            ...(asked.dimensions?.includes('title') ? { title: '$page.title' } : {}),
            ...(asked.dimensions?.includes('host') ? { url: { $substrCP: ['$page.url', 0, maxHostEnd] } } : {}),
            ...{ country: 1, device: 1, browser: 1, os: 1, value: 1, pairs: '$properties' },
          },
        },
        ...(asked.after === undefined ? [] : [{ $match: { person: { $gt: asked.after } } }]),
        { $sort: { person: 1, time: 1, message_id: 1 } },
      ],
      { allowDiskUse: true, batchSize: reportBatch },
    );
    for await (const { pairs, ...event } of found) yield { ...event, properties: Object.fromEntries(pairs.map(({ k, v }) => [k, v])) };
  }

  return {
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
            partialFilterExpression: { visitor: isCounted },
          },
          { name: 'time', key: { account_id: 1, time: 1, _id: 1 }, partialFilterExpression: { visitor: isCounted } },
          { name: 'name', key: { account_id: 1, name: 1, time: 1, _id: 1 }, partialFilterExpression: { visitor: isCounted } },
          { name: 'received', key: { account_id: 1, _id: 1 }, partialFilterExpression: { visitor: isCounted } },
          { name: 'contact', key: { account_id: 1, contact_id: 1, time: 1 }, partialFilterExpression: { contact_id: { $gt: '' } } },
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

    /** The accounts that have events to count. */
    accountsWithPending: (): Promise<AccountId[]> => events.distinct('account_id', { pending: true }),

    /** The oldest events of an account that are not counted yet. */
    async pendingOf(accountId: AccountId, limit: number): Promise<Event[]> {
      const rows = await events.find({ pending: true, account_id: accountId }).sort({ _id: 1 }).limit(limit).toArray();
      return rows.map(eventOf);
    },

    /** Which of these events are still not counted. */
    async stillPending(tx: Transaction, accountId: AccountId, ids: readonly string[]): Promise<Event[]> {
      const rows = await events
        .find({ _id: { $in: [...ids] }, account_id: accountId, pending: true }, { session: tx.session })
        .sort({ _id: 1 })
        .toArray();
      return rows.map(eventOf);
    },

    /** The newest event of an account that is not counted yet. */
    async newestPending(accountId: AccountId): Promise<string | undefined> {
      return (await events.findOne({ pending: true, account_id: accountId }, { sort: { _id: -1 }, projection: { _id: 1 } }))?._id;
    },

    /** The oldest event of an account that is not counted yet. */
    async firstPending(accountId: AccountId): Promise<string | undefined> {
      return (await events.findOne({ pending: true, account_id: accountId }, { sort: { _id: 1 }, projection: { _id: 1 } }))?._id;
    },

    /** The counted events with IDs from `from` to before `to`: the latest `limit`, oldest first, and how many others there are, up to `maxMore`. */
    async received(accountId: AccountId, { from, to, where, limit, maxMore }: ReceivedQuery) {
      const filter = { ...where, account_id: accountId, _id: { $gte: from, $lt: to }, visitor: where.visitor ?? { $gt: '' } };
      const rows = await events.find(filter).sort({ _id: -1 }).limit(limit).hint('received').toArray();
      const all = rows.length < limit ? rows.length : await events.countDocuments(filter, { limit: limit + maxMore, hint: 'received' });
      return { events: rows.toReversed().map((row) => ({ event: eventOf(row), visitor: row.visitor ?? '' })), more: all - rows.length };
    },

    /** How many events are set aside, up to 10,000. */
    setAsideCount: () => events.countDocuments({ parked: { $gt: '' } }, { limit: 10_000 }),

    pendingCount: () => events.countDocuments({ pending: true }, { limit: 100_000 }),

    /** When the oldest uncounted event was received. */
    async oldestPending(accountId: AccountId): Promise<Date | undefined> {
      const row = await events.findOne({ pending: true, account_id: accountId }, { sort: { _id: 1 }, projection: { received_at: 1 } });
      return row?.received_at;
    },

    /** The age in seconds of the oldest uncounted event of all accounts; 0 if there is none. */
    async oldestPendingSeconds(now = Date.now()): Promise<number> {
      const oldest = await Promise.all((await this.accountsWithPending()).map((accountId) => this.oldestPending(accountId)));
      return Math.max(0, ...oldest.map((at) => (at ? (now - at.getTime()) / 1_000 : 0)));
    },

    /** Removes counted events from the queue and stores their visitor and contact. */
    async markCounted(
      tx: Transaction,
      accountId: AccountId,
      counted: readonly { ids: string[]; visitor: VisitorId; contact_id: ContactId | null }[],
    ) {
      const operations = counted.map(
        ({ ids, visitor, contact_id }): AnyBulkWriteOperation<EventDocument> => ({
          updateMany: {
            filter: { _id: { $in: ids }, account_id: accountId },
            update: { $set: { visitor, contact_id }, $unset: { pending: '', attempts: '' } },
          },
        }),
      );
      await events.bulkWrite(operations, { session: tx.session, ordered: false });
    },

    /** Records a failed attempt to count an event. Returns true if it is now set aside, so that it does not block others. */
    async noteFailure(id: string, reason: string): Promise<boolean> {
      const row = await events.findOneAndUpdate({ _id: id }, { $inc: { attempts: 1 } }, { returnDocument: 'after' });
      if (!row || (row.attempts ?? 0) < maxAttempts) return false;
      await events.updateOne({ _id: id }, { $unset: { pending: '' }, $set: { parked: reason.slice(0, 1_000) } });
      return true;
    },

    /** How many events a report reads, up to `limit`. */
    matching: (accountId: AccountId, asked: ReportQuery, limit: number) => events.countDocuments(counted(accountId, asked), { limit }),

    /**
     * The counted events of a report, sorted by person, time and message ID. A person is a contact with all its visitors and
     * those of the contacts that were merged into it, or a visitor without a contact.
     */
    byPerson: (accountId: AccountId, asked: ReportQuery, survivors: ReadonlyMap<ContactId, ContactId>) =>
      sortedBy({ $ifNull: [survivorIn(survivors), '$visitor'] }, accountId, asked),

    /** The same events, with their visitor as the person. */
    byVisitor: (accountId: AccountId, asked: ReportQuery) => sortedBy('$visitor', accountId, asked),

    /** The counted events of an account, by time. */
    async list(accountId: AccountId, cursors: Cursors, query: ListEventsQuery, contacts: readonly string[]) {
      const { limit, cursor, ...asked } = query;
      const { where, order } = eventsFilter(query, contacts);
      const { items, pagination } = await findPage({
        collection: events,
        filter: { account_id: accountId, ...where },
        order,
        limit,
        cursor,
        cursors,
        boundTo: ['events', accountId, asked],
        maxMs: maxListMs,
      });
      return { items: items.map((row) => ({ event: eventOf(row), visitor: row.visitor ?? '' })), pagination };
    },

    /** The counted events of these visitors with this name. */
    async *ofVisitors(
      accountId: AccountId,
      visitors: readonly VisitorId[],
      name: string,
    ): AsyncGenerator<{ event: Event; visitor: string }> {
      for await (const row of events.find({ account_id: accountId, visitor: { $in: [...visitors] }, name }))
        yield { event: eventOf(row), visitor: row.visitor ?? '' };
    },

    /** Which of these visitors have a counted event with this name. */
    async visitorsWith(accountId: AccountId, visitors: readonly VisitorId[], name: string): Promise<Set<string>> {
      const found: (VisitorId | null)[] = await events.distinct(
        'visitor',
        { account_id: accountId, visitor: { $in: [...visitors] }, name },
        { hint: 'visitor', maxTimeMS: maxListMs },
      );
      return new Set(found.filter((id) => id !== null));
    },

    /**
     * Who had which of these events, or events on which of these pages, in which quarter of an hour; each once. Undefined if there
     * are more than `limit` events.
     */
    async presences(
      accountId: AccountId,
      {
        by,
        values,
        limit,
        ...range
      }: { from: Date; to: Date; bots: boolean; by: 'page' | 'event'; values: readonly string[]; limit: number },
    ): Promise<{ value: string; visitor: VisitorId; quarter: number }[] | undefined> {
      const own = {
        ...counted(accountId, range),
        ...(by === 'page' ? { 'page.path': { $in: [...values] } } : { name: { $in: [...values] } }),
      };
      if ((await events.countDocuments(by === 'page' ? counted(accountId, range) : own, { limit: limit + 1 })) > limit) return undefined;
      const quarter = { $floor: { $divide: [{ $toLong: '$time' }, quarterMs] } };
      const rows = await events
        .aggregate<{ _id: { value: string; visitor: VisitorId; quarter: number } }>([
          { $match: own },
          { $group: { _id: { value: by === 'page' ? '$page.path' : '$name', visitor: '$visitor', quarter } } },
        ])
        .toArray();
      return rows.map(({ _id }) => _id);
    },

    /** All counted events of a visitor, oldest first. */
    async *ofVisitor(accountId: AccountId, visitor: VisitorId): AsyncGenerator<Event> {
      for await (const row of events.find({ account_id: accountId, visitor }).sort({ time: 1, _id: 1 })) yield eventOf(row);
    },

    /** Deletes the counted events of a visitor. */
    async removeOfVisitor(accountId: AccountId, visitor: VisitorId) {
      await events.deleteMany({ account_id: accountId, visitor });
    },

    /** Deletes some counted events from before this time. Returns whether there may be more. */
    async removeBefore(accountId: AccountId, time: Date, limit: number): Promise<boolean> {
      const old = await events
        .find({ account_id: accountId, visitor: isCounted, time: { $lt: time } }, { projection: { _id: 1 } })
        .limit(limit)
        .toArray();
      await events.deleteMany({ _id: { $in: old.map(({ _id }) => _id) }, account_id: accountId });
      return old.length === limit;
    },

    async latestOf(accountId: AccountId, visitor: VisitorId, limit: number) {
      const rows = await events.find({ account_id: accountId, visitor }).sort({ time: -1, _id: -1 }).limit(limit).toArray();
      return rows.map(eventOf);
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
        { $set: { contact_id: contactId } },
        { session: tx.session },
      );
    },

    /**
     * Makes the events of a contact anonymous by removing its ID and claims, and if it is erased, also their properties, page
     * and context. Returns the number of events that belonged to the contact.
     */
    async forget(accountId: AccountId, contactId: ContactId, claims: readonly string[], erased: boolean): Promise<number> {
      const own = { account_id: accountId, contact_id: contactId };
      const named = { account_id: accountId, claims: { $in: [...claims] }, visitor: isCounted };
      const silent = erased ? { ...clearedFields, claims: [] } : {};
      await events.updateMany({ ...named, visitor_key: { $in: [...claims] } }, { $set: { visitor_key: 'forgotten' } });
      if (erased) await events.updateMany({ ...own, visitor_id: null }, { $set: { visitor_key: 'forgotten' } });
      await events.updateMany(named, erased ? { $set: silent } : { $pullAll: { claims: [...claims] } });
      const { modifiedCount } = await events.updateMany(own, { $set: { contact_id: null, ...silent } });
      return modifiedCount;
    },
  };
}

/** An expression for the contact of an event, or its survivor. MongoDB finds a value in a constant array by its hash. */
const survivorIn = (survivors: ReadonlyMap<ContactId, ContactId>) => ({
  $let: {
    vars: { at: { $indexOfArray: [[...survivors.keys()], '$contact_id'] } },
    in: { $cond: [{ $lt: ['$$at', 0] }, '$contact_id', { $arrayElemAt: [[...survivors.values()], '$$at'] }] },
  },
});

/** Clears the personal fields of an event. Analytics keep what they have counted. */
const clearedFields: Pick<EventDocument, 'properties' | 'page' | 'context'> = {
  properties: [],
  page: null,
  context: { user_agent: null, network: null, locale: null, timezone: null, screen: null },
};

function documentOf({ event: { id, properties, ...members }, call }: NewEvent): EventDocument {
  return {
    _id: id,
    ...members,
    properties: Object.entries(properties).map(([k, v]) => ({ k, v })),
    visitor: null,
    pending: true,
    ...(call === undefined ? {} : { call }),
  };
}

function eventOf({ _id, properties, pending, call, visitor, attempts, parked, claim, ...members }: EventDocument): Event {
  const claims = members.claims ?? (claim ? [claim] : []);
  return { id: _id, ...members, claims, properties: Object.fromEntries(properties.map(({ k, v }) => [k, v])) };
}
