import { type AccountId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import type { Logger } from '@mp/service-kit/logger';
import { prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { SegmentCall } from './segment-call.ts';

type SegmentCallDocument = Omit<SegmentCall, 'id' | 'received_at' | 'event_id'> & {
  _id: string;
  account_id: AccountId;
  received_at: Date;
  event_id?: string;
};

/** Calls of an account that wait to be written together. */
type Batch = { rows: SegmentCallDocument[]; done: PromiseWithResolvers<void> };

/** A call as it is received, before it has an ID. */
export type NewSegmentCall = Omit<SegmentCall, 'id' | 'received_at'>;

export type SegmentCallsStore = ReturnType<typeof createSegmentCallsStore>;

export const maxKeptCalls = 1_000;
const keptSeconds = 7 * 24 * 60 * 60;
const maxNotes = 20;

/**
 * Owns the `segment_calls` collection: the last 1,000 calls of each account and what became of them. It is for
 * debugging, so it is written after the response, and what a crash loses is lost.
 */
export function createSegmentCallsStore(db: Db, cursors: Cursors, logger: Pick<Logger, 'warn'>) {
  const calls = db.collection<SegmentCallDocument>('segment_calls');
  const waiting = new Map<AccountId, Batch>();
  /** When the calls of an account that were noted so far are written. */
  const written = new Map<AccountId, Promise<void>>();
  let isWriting = false;

  async function write(accountId: AccountId, rows: SegmentCallDocument[]) {
    await calls.insertMany(rows);
    const [oldest] = await calls.find({ account_id: accountId }).sort({ received_at: -1, _id: -1 }).skip(maxKeptCalls).limit(1).toArray();
    if (oldest)
      await calls.deleteMany({
        account_id: accountId,
        $or: [{ received_at: { $lt: oldest.received_at } }, { received_at: oldest.received_at, _id: { $lte: oldest._id } }],
      });
  }

  /** Writes the calls of one account after the other, because only the last ones of each are kept. The accounts take turns. */
  async function writeWaiting() {
    if (isWriting) return;
    isWriting = true;
    for (let [next] = waiting; next; [next] = waiting) {
      const [accountId, { rows, done }] = next;
      waiting.delete(accountId);
      await write(accountId, rows).catch((err: unknown) => logger.warn({ err }, 'cannot record calls to the Segment-compatible API'));
      if (written.get(accountId) === done.promise) written.delete(accountId);
      done.resolve();
    }
    isWriting = false;
  }

  return {
    prepare: () =>
      prepareCollection(
        calls,
        [
          { name: 'received', key: { account_id: 1, received_at: 1, _id: 1 } },
          { name: 'event', key: { account_id: 1, event_id: 1 }, partialFilterExpression: { event_id: { $gt: '' } } },
          { name: 'expiry', key: { received_at: 1 }, expireAfterSeconds: keptSeconds },
        ],
        db,
      ),

    /** Adds calls soon. */
    note(accountId: AccountId, received: Date, noted: readonly NewSegmentCall[]) {
      const rows = noted.map(({ event_id, ...call }): SegmentCallDocument => {
        return { _id: newId('call'), account_id: accountId, received_at: received, ...call, ...(event_id !== null && { event_id }) };
      });
      const { rows: earlier = [], done = Promise.withResolvers<void>() } = waiting.get(accountId) ?? {};
      waiting.set(accountId, { rows: [...earlier, ...rows].slice(-maxKeptCalls), done });
      written.set(accountId, done.promise);
      void writeWaiting();
    },

    /** Adds what became known later of the call with this event. */
    async addNotes(accountId: AccountId, eventId: string, notes: readonly string[]) {
      await written.get(accountId);
      await calls.updateMany({ account_id: accountId, event_id: eventId }, { $push: { notes: { $each: [...notes], $slice: maxNotes } } });
    },

    async list(accountId: AccountId, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      await written.get(accountId);
      const { items, pagination } = await findPage({
        ...{ collection: calls, filter: { account_id: accountId }, order: { field: 'received_at', direction: -1 } as const },
        ...{ limit, cursor, cursors, boundTo: ['segment-calls', accountId] },
      });
      return { items: items.map(callOf), pagination };
    },
  };
}

const callOf = ({ _id, account_id, received_at, event_id, ...call }: SegmentCallDocument): SegmentCall => ({
  id: _id,
  received_at: received_at.toISOString(),
  ...call,
  event_id: event_id ?? null,
});
