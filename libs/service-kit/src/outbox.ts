import type { EventEnvelope, EventType } from '@mp/contracts/event';
import { newId } from '@mp/ids';
import type { Db, Filter } from 'mongodb';
import type { z } from 'zod';
import { insertAll } from './insert-all.ts';
import { prepareCollection, type Transaction } from './mongo.ts';
import { traceparent } from './traces.ts';

/** `pending` is there until the broker has the event; then `published_at` is, and the row goes after seven days. */
export type OutboxDocument = { _id: string; subject: string; envelope: EventEnvelope; pending?: true; published_at?: Date };

export type Outbox = ReturnType<typeof createOutbox>;

const tracing = () => {
  const parent = traceparent();
  return parent === undefined ? {} : { traceparent: parent };
};

const keepSeconds = 7 * 24 * 60 * 60;

/** nats-server refuses messages over 1 MiB; headers need some room. */
const maxEventBytes = 900 * 1024;

const erasedAtOnce = 500;

/** Events wait here, written in the transaction of the change they report, until the relay has the broker's ack for them. */
export function createOutbox(db: Db, producer: string) {
  const events = db.collection<OutboxDocument>('outbox');
  const listeners = new Set<() => void>();
  const wake = () => {
    for (const listener of listeners) listener();
  };

  /** Writes what `rowsOf` made, together below 16 MB, and wakes the relay after the commit. */
  async function insertRows(tx: Transaction, rows: readonly OutboxDocument[]) {
    if (rows.length === 0) return;
    await insertAll(db, events, rows, tx);
    tx.afterCommit(wake);
  }

  const rowsOf = <Data extends z.ZodType>(tx: Transaction, event: EventType<Data>, accountId: string, items: readonly z.input<Data>[]) =>
    items.map((data) => row(tx, event, accountId, data));

  const row = <Data extends z.ZodType>(tx: Transaction, event: EventType<Data>, accountId: string, data: z.input<Data>): OutboxDocument => {
    const id = newId('event');
    const envelope: EventEnvelope = {
      id,
      type: event.type,
      version: event.version,
      time: new Date().toISOString(),
      account_id: accountId,
      correlation_id: tx.correlationId,
      causation_id: tx.causationId,
      producer,
      ...tracing(),
      data: event.data.parse(data),
    };
    const bytes = Buffer.byteLength(JSON.stringify(envelope));
    if (bytes > maxEventBytes) throw new Error(`The event ${event.subject} has ${bytes} bytes; at most ${maxEventBytes} can be published.`);
    return { _id: id, subject: event.subject, envelope, pending: true };
  };

  return {
    prepare: () =>
      prepareCollection(
        events,
        [
          { key: { pending: 1, _id: 1 }, name: 'pending', partialFilterExpression: { pending: true } },
          { key: { published_at: 1 }, name: 'expiry', expireAfterSeconds: keepSeconds },
          // For erasing alone, so it costs the write of an event nothing: an event enters it once it is published.
          { key: { 'envelope.account_id': 1 }, name: 'published', partialFilterExpression: { published_at: { $exists: true } } },
        ],
        db,
      ),

    async add<Data extends z.ZodType>(tx: Transaction, event: EventType<Data>, accountId: string, data: z.input<Data>) {
      await events.insertOne(row(tx, event, accountId, data), { session: tx.session });
      tx.afterCommit(wake);
    },

    async addMany<Data extends z.ZodType>(tx: Transaction, event: EventType<Data>, accountId: string, items: readonly z.input<Data>[]) {
      if (items.length === 0) return;
      await events.insertMany(rowsOf(tx, event, accountId, items), { session: tx.session });
      tx.afterCommit(wake);
    },

    /** The two halves of `addMany`, for events of several types, or that are made while something else is being written. */
    rowsOf,
    insertRows,

    pending: (limit: number) => events.find({ pending: true }).sort({ _id: 1 }).limit(limit).toArray(),
    pendingCount: () => events.countDocuments({ pending: true }, { limit: 100_000 }),

    /** How many seconds the first event that is not yet published has waited; 0 when none waits. */
    async oldestPendingSeconds(now = Date.now()) {
      const oldest = await events.findOne({ pending: true }, { sort: { _id: 1 }, projection: { 'envelope.time': 1 } });
      return oldest ? Math.max(0, now - Date.parse(oldest.envelope.time)) / 1_000 : 0;
    },

    async markPublished(ids: readonly string[]) {
      await events.updateMany({ _id: { $in: [...ids] } }, { $unset: { pending: '' }, $set: { published_at: new Date() } });
    },

    /**
     * Removes events of the account that tell of somebody who is erased: the published ones of the last days, found by the
     * account, and those that still wait, among those of all accounts. Returns how many; may be done twice.
     */
    async erase(accountId: string, telling: Filter<OutboxDocument>): Promise<number> {
      let removed = 0;
      for (const [hint, part] of [
        ['pending', { pending: true as const }],
        ['published', { published_at: { $exists: true } }],
      ] as const) {
        const rows = await events
          .find({ $and: [{ 'envelope.account_id': accountId, ...part }, telling] }, { hint, projection: { _id: 1 } })
          .toArray();
        for (let from = 0; from < rows.length; from += erasedAtOnce) {
          const ids = rows.slice(from, from + erasedAtOnce).map(({ _id }) => _id);
          removed += (await events.deleteMany({ _id: { $in: ids } })).deletedCount;
        }
      }
      return removed;
    },

    /** Makes the relay publish again what it published since then: for a broker that lost its streams. Returns how many. */
    async republish(since: Date) {
      const { modifiedCount } = await events.updateMany(
        { published_at: { $gte: since } },
        { $set: { pending: true }, $unset: { published_at: '' } },
      );
      wake();
      return modifiedCount;
    },

    /** Calls the listener after each commit that added an event in this process. */
    onAdded(listener: () => void) {
      listeners.add(listener);
    },
  };
}
