import { EventEnvelope, type EventType } from '@mp/contracts/event';
import { flood, hasBulkLane, type Lane, lanes } from '@mp/contracts/lanes';
import { type AccountId, newId } from '@mp/ids';
import type { Db, Document } from 'mongodb';
import type { z } from 'zod';
import { type Origin, prepareCollection, type Transaction } from './mongo.ts';
import { eventCount, type OutboxEvent, type OutboxRow, rowsOf } from './outbox-row.ts';
import { createTokenBuckets } from './token-buckets.ts';
import { traceparent } from './traces.ts';

export type Outbox = ReturnType<typeof createOutbox>;

const tracing = (origin: Origin | undefined) => {
  const parent = origin?.traceparent ?? traceparent();
  return parent === undefined ? {} : { traceparent: parent };
};

const keepSeconds = 7 * 24 * 60 * 60;

/** nats-server rejects messages over 1 MiB; headers need some room. */
const maxEventBytes = 900 * 1024;

const erasedAtOnce = 500;

const published = { published_at: { $exists: true } };

const rowsOfReply = 20;

const lookEveryMs = 60_000;

/** A transaction that writes many events does not bring more of them into the live lane than many transactions. */
const portion = 500;
const portionsOf = <T>(events: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(events.length / portion) }, (_, index) => events.slice(index * portion, (index + 1) * portion));

const pendingIn = (lane: Lane) => ({ pending: true as const, lane: lane === 'bulk' ? ('bulk' as const) : { $exists: false } });

/** Stores events in the transaction of the change they report, until NATS has acknowledged them to the relay. */
export function createOutbox(db: Db, producer: string) {
  const rows = db.collection<OutboxRow>('outbox');
  const listeners = new Set<() => void>();
  const floods = createTokenBuckets({ ...flood, max: 10_000 });
  let isShared = true;
  let lookAt = 0;
  const wake = () => {
    for (const listener of listeners) listener();
  };

  const eventOf = <Data extends z.ZodType>(
    tx: Transaction,
    event: EventType<Data>,
    accountId: AccountId,
    data: z.input<Data>,
  ): OutboxEvent => {
    const id = newId('event');
    const parsed = event.data.parse(data);
    const cause = tx.causedBy?.(parsed);
    const { correlationId, causationId, lane, startsWorkflows = true } = cause ?? tx;
    const envelope: EventEnvelope = {
      id,
      type: event.type,
      version: event.version,
      time: new Date().toISOString(),
      account_id: accountId,
      correlation_id: correlationId,
      causation_id: causationId,
      producer,
      ...tracing(cause),
      ...(!startsWorkflows && { starts_workflows: false }),
      ...(lane === 'bulk' && !hasBulkLane(event.subject) && { lane }),
      data: parsed,
    };
    const text = JSON.stringify(envelope);
    const bytes = Buffer.byteLength(text);
    if (bytes > maxEventBytes) throw new Error(`The event ${event.subject} has ${bytes} bytes; the maximum is ${maxEventBytes}.`);
    return { id, subject: event.subject, account_id: accountId, tells: [...(event.subjectsOf?.(parsed) ?? [])], envelope: text };
  };

  const eventsOf = <Data extends z.ZodType>(
    tx: Transaction,
    event: EventType<Data>,
    accountId: AccountId,
    items: readonly z.input<Data>[],
  ) => items.map((data) => eventOf(tx, event, accountId, data));

  /** Writes the events from `eventsOf` and wakes the relay after the commit. */
  async function insert(tx: Transaction, events: readonly OutboxEvent[]) {
    if (events.length === 0) return;
    const written = [...Map.groupBy(events, ({ account_id }) => account_id)].flatMap(([accountId, own]) =>
      portionsOf(own).flatMap((portion) =>
        rowsOf(portion, tx.lane === 'bulk' || floods.take(accountId, portion.length) > 0 ? 'bulk' : 'live'),
      ),
    );
    await rows.insertMany(written, { session: tx.session });
    tx.afterCommit(wake);
  }

  /** Also rows of version 0.1.0, which do not name their account. */
  const pendingOf = (accountId: AccountId) => ({ pending: true as const, account_id: { $in: [accountId, null] } });

  async function pendingId(accountId: AccountId, order: 1 | -1): Promise<string | undefined> {
    return (await rows.findOne(pendingOf(accountId), { sort: { _id: order }, hint: 'accounts', projection: { _id: 1 } }))?._id;
  }

  const oldestIn = (lane: Lane) =>
    rows.findOne(pendingIn(lane), { sort: { _id: 1 }, hint: 'lanes', projection: { events: { $slice: 1 } } });

  async function eraseFrom(ids: readonly string[], erased: Document): Promise<number> {
    const those = { _id: { $in: [...ids] } };
    const countEvents = async () => eventCount(await rows.find(those, { projection: { 'events.subject': 1 } }).toArray());
    const before = await countEvents();
    await rows.updateMany(those, { $pull: { events: erased } });
    const after = await countEvents();
    await rows.deleteMany({ ...those, events: [] });
    return before - after;
  }

  async function removeEvents(erased: { account_id: AccountId; tells?: Document }): Promise<number> {
    let removed = 0;
    for (const [hint, part] of [
      ['accounts', pendingOf(erased.account_id)],
      ['published', { ...published, 'events.account_id': erased.account_id }],
    ] as const) {
      const found = await rows.find({ ...part, events: { $elemMatch: erased } }, { hint, projection: { _id: 1 } }).toArray();
      for (let from = 0; from < found.length; from += erasedAtOnce)
        removed += await eraseFrom(
          found.slice(from, from + erasedAtOnce).map(({ _id }) => _id),
          erased,
        );
    }
    return removed;
  }

  return {
    prepare: () =>
      prepareCollection(
        rows,
        [
          { key: { pending: 1, lane: 1, _id: 1 }, name: 'lanes', partialFilterExpression: { pending: true } },
          { key: { pending: 1, account_id: 1, _id: 1 }, name: 'accounts', partialFilterExpression: { pending: true } },
          { key: { published_at: 1 }, name: 'expiry', expireAfterSeconds: keepSeconds, partialFilterExpression: published },
          // Only for erasures. Rows enter this index once they are published, so that writing an event does not pay for it.
          { key: { 'events.account_id': 1 }, name: 'published', partialFilterExpression: published },
        ],
        db,
      ),

    async add<Data extends z.ZodType>(tx: Transaction, event: EventType<Data>, accountId: AccountId, data: z.input<Data>) {
      await insert(tx, [eventOf(tx, event, accountId, data)]);
    },

    async addMany<Data extends z.ZodType>(tx: Transaction, event: EventType<Data>, accountId: AccountId, items: readonly z.input<Data>[]) {
      await insert(tx, eventsOf(tx, event, accountId, items));
    },

    /** The two halves of `addMany`, for events of several types, or to build events while something else is being written. */
    eventsOf,
    insert,

    /** The oldest pending rows of the lane that together hold at least this many events, rounded up to a whole reply of MongoDB. */
    async pending(lane: Lane, events: number): Promise<OutboxRow[]> {
      const cursor = rows.find(pendingIn(lane)).sort({ _id: 1 }).hint('lanes').batchSize(rowsOfReply);
      const found: OutboxRow[] = [];
      while (eventCount(found) < events && (await cursor.hasNext())) found.push(...cursor.readBufferedDocuments());
      await cursor.close();
      return found;
    },

    /** The ids of the first and last pending row of an account. Rows are written roughly in the order of their ids. */
    oldestPending: (accountId: AccountId) => pendingId(accountId, 1),
    newestPending: (accountId: AccountId) => pendingId(accountId, -1),

    /** Makes the relay check for events now. */
    wake,

    /**
     * Whether replicas of 0.1.0 may publish from this outbox, which record no positions: as long as the index that they need exists.
     * Looks once a minute.
     */
    async isSharedWithEarlier(): Promise<boolean> {
      if (isShared && Date.now() > lookAt) {
        isShared = await rows.indexExists('pending');
        lookAt = Date.now() + lookEveryMs;
      }
      return isShared;
    },

    pendingCount: () => rows.countDocuments({ pending: true }, { limit: 100_000 }),

    /** Age of the oldest pending event in seconds; 0 when there is none. */
    async oldestPendingSeconds(now = Date.now()) {
      const oldest = (await Promise.all(lanes.map(oldestIn))).flatMap((row) => row?.events ?? []);
      const times = oldest.map(({ envelope }) => Date.parse(EventEnvelope.parse(JSON.parse(envelope)).time));
      return Math.max(0, ...times.map((time) => now - time)) / 1_000;
    },

    async markPublished(ids: readonly string[]) {
      await rows.updateMany({ _id: { $in: [...ids] } }, { $unset: { pending: '' }, $set: { published_at: new Date() } });
    },

    /**
     * Deletes the account's events with personal data of any of these contacts, for an erasure: published ones of the last seven days,
     * and pending ones. Returns how many. Can be repeated.
     */
    erase: (accountId: AccountId, of: readonly string[]): Promise<number> =>
      removeEvents({ account_id: accountId, tells: { $in: [...of] } }),

    /** Deletes all events of the account, published or not, for the erasure of the account. Returns how many. Can be repeated. */
    eraseAccount: (accountId: AccountId): Promise<number> => removeEvents({ account_id: accountId }),

    /** Whether an event of the account is not published yet. */
    hasPending: async (accountId: AccountId): Promise<boolean> =>
      (await rows.findOne({ ...pendingOf(accountId), 'events.account_id': accountId }, { hint: 'accounts', projection: { _id: 1 } })) !==
      null,

    /**
     * Makes the relay publish rows again that were published since then, after NATS lost its streams. They take the bulk lane, so that
     * seven days of them do not delay new events. Returns the number of rows.
     */
    async republish(since: Date) {
      const { modifiedCount } = await rows.updateMany(
        { published_at: { $gte: since } },
        { $set: { pending: true, lane: 'bulk' }, $unset: { published_at: '' } },
      );
      wake();
      return modifiedCount;
    },

    /** Calls the listener after each commit in this process that added an event. */
    onAdded(listener: () => void) {
      listeners.add(listener);
    },
  };
}
