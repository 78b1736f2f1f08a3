import { randomUUID } from 'node:crypto';
import type { WebhookPayload } from '@mp/contracts/webhooks/webhook-event';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import { insertAll } from '@mp/service-kit/insert-all';
import { type Mongo, prepareCollection, type Transaction } from '@mp/service-kit/mongo';

/** A client that reads events as they happen. It is recorded for until `open_until`, which its connection moves forward. */
type StreamDocument = {
  _id: string;
  account_id: AccountId;
  /** Patterns, as in a webhook. */
  events: string[];
  /** The connection that reads it; another one takes over. */
  holder: string;
  /** The number of the last event that was sent. */
  sent: number;
  open_until: Date;
  created_at: Date;
};

type EventDocument = {
  _id: string;
  stream_id: string;
  account_id: AccountId;
  contact_ids: ContactId[];
  type: string;
  payload: string;
  /** Its place in the stream, from when it is sent. */
  number: number | null;
  created_at: Date;
};

/** A stream as the connection that reads it knows it. */
export type HeldStream = { id: string; accountId: AccountId; holder: string };
export type StreamEvent = { number: number; type: string; payload: string };
type OpenStream = { id: string; accountId: AccountId; events: string[]; created_at: Date };
export type NewStreamEvent = { streamId: string; payload: WebhookPayload; contactIds: readonly ContactId[] };

/** A new stream ends the oldest ones beyond this. */
export const maxStreamsPerAccount = 5;

/** How long events are recorded for a client that lost its connection. */
export const keptSeconds = 60;

/** How much the clocks of processes may differ: events are recorded for this much longer than a stream can be resumed. */
const maxClockSkewMs = 10_000;

/** A client that is so far behind loses the stream, before its events expire. */
const maxLagMs = 5 * 60_000;
const expireSeconds = 2 * (maxLagMs / 1_000);

/** How long a process remembers which accounts have streams; because every event is looked up. */
const rememberedMs = 1_000;

/** After this long, every process knows a new stream. */
export const settleMs = rememberedMs + 200;

const maxTaken = 100;

export type StreamsStore = ReturnType<typeof createStreamsStore>;

/** Owns `webhook_streams` and `webhook_stream_events`. */
export function createStreamsStore({ db, transaction }: Pick<Mongo, 'db' | 'transaction'>, clock: Clock) {
  const streams = db.collection<StreamDocument>('webhook_streams');
  const events = db.collection<EventDocument>('webhook_stream_events');
  let known: { at: number; accounts: Promise<Set<string>> } | undefined;

  const keepUntil = () => new Date(clock().getTime() + keptSeconds * 1_000);
  const isRecorded = () => ({ $gt: new Date(clock().getTime() - maxClockSkewMs) });

  const accounts = async () => new Set<string>(await streams.distinct('account_id', { open_until: isRecorded() }));

  return {
    async prepare() {
      await prepareCollection(
        streams,
        [{ key: { account_id: 1, open_until: 1 } }, { key: { open_until: 1 }, name: 'expiry', expireAfterSeconds: expireSeconds }],
        db,
      );
      await prepareCollection(
        events,
        [
          { key: { stream_id: 1, number: 1, _id: 1 } },
          { key: { account_id: 1, contact_ids: 1 } },
          { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: expireSeconds },
        ],
        db,
      );
    },

    /** Whether the account has a stream, as of up to a second ago. */
    async isStreamed(accountId: AccountId): Promise<boolean> {
      const now = performance.now();
      if (!known || now - known.at >= rememberedMs) known = { at: now, accounts: accounts() };
      const requested = known;
      try {
        return (await requested.accounts).has(accountId);
      } catch (error) {
        if (known === requested) known = undefined;
        throw error;
      }
    },

    /** The streams for which the events of these accounts are recorded. */
    async open(accountIds: readonly AccountId[], tx: Transaction): Promise<OpenStream[]> {
      if (accountIds.length === 0) return [];
      const recorded = { account_id: { $in: [...accountIds] }, open_until: isRecorded() };
      const found = await streams.find(recorded, { session: tx.session }).toArray();
      return found.map(({ _id, account_id, events: patterns, created_at }) => ({
        ...{ id: _id, accountId: account_id, events: patterns, created_at },
      }));
    },

    async create(accountId: AccountId, patterns: string[]): Promise<HeldStream> {
      const id = newId('stream');
      const holder = randomUUID();
      const document = { _id: id, account_id: accountId, events: patterns, holder, sent: 0, open_until: keepUntil(), created_at: clock() };
      await streams.insertOne(document);
      const beyond = await streams
        .find({ account_id: accountId }, { projection: { _id: 1 } })
        .sort({ _id: -1 })
        .skip(maxStreamsPerAccount)
        .toArray();
      for (const oldest of beyond) await streams.deleteOne({ _id: oldest._id, account_id: accountId });
      return { id, accountId, holder };
    },

    /** Takes over a stream from the connection that reads it. Undefined when it has ended. */
    async resume(accountId: AccountId, id: string): Promise<HeldStream | undefined> {
      const holder = randomUUID();
      const { modifiedCount } = await streams.updateOne(
        { _id: id, account_id: accountId, open_until: { $gt: clock() } },
        { $set: { holder, open_until: keepUntil() } },
      );
      return modifiedCount === 1 ? { id, accountId, holder } : undefined;
    },

    /** Records events, each for a stream. */
    async add(tx: Transaction, recorded: readonly NewStreamEvent[]) {
      const created_at = clock();
      const documents = recorded.map(({ streamId, payload, contactIds }) => ({
        _id: newId('delivery'),
        ...{ stream_id: streamId, account_id: payload.account_id, contact_ids: [...contactIds], type: payload.type },
        ...{ payload: JSON.stringify(payload), number: null, created_at },
      }));
      await insertAll(db, events, documents, tx);
    },

    /** What was sent after this number, to a connection that may have been lost. */
    async sentAfter({ id, accountId }: HeldStream, number: number): Promise<StreamEvent[]> {
      const found = await events
        .find({ stream_id: id, account_id: accountId, number: { $gt: number } })
        .sort({ number: 1 })
        .toArray();
      return found.map((event) => ({ number: event.number ?? 0, type: event.type, payload: event.payload }));
    },

    /** The next events to send, with their numbers, and keeps the stream open. Undefined when it has ended for this connection. */
    async take({ id, accountId, holder }: HeldStream): Promise<StreamEvent[] | undefined> {
      const waiting = await events.find({ stream_id: id, account_id: accountId, number: null }).sort({ _id: 1 }).limit(maxTaken).toArray();
      const now = clock();
      const [oldest] = waiting;
      if (oldest && now.getTime() - oldest.created_at.getTime() > maxLagMs) await streams.deleteOne({ _id: id, account_id: accountId });
      const held = { _id: id, account_id: accountId, holder, open_until: { $gt: now } };
      if (waiting.length === 0) {
        const { matchedCount } = await streams.updateOne(held, { $set: { open_until: keepUntil() } });
        return matchedCount === 1 ? [] : undefined;
      }
      // With the stream: a connection that takes over finds either no numbers of this one, or all.
      return transaction({ correlationId: id, causationId: null }, async ({ session }) => {
        const change = { $set: { open_until: keepUntil() }, $inc: { sent: waiting.length } };
        const before = await streams.findOneAndUpdate(held, change, { session });
        if (!before) return undefined;
        const taken = waiting.map((event, index) => ({ ...event, number: before.sent + index + 1 }));
        const numbering = taken.map(({ _id, number }) => ({
          updateOne: { filter: { _id, stream_id: id, account_id: accountId }, update: { $set: { number } } },
        }));
        await events.bulkWrite(numbering, { session });
        return taken.map(({ number, type, payload }) => ({ number, type, payload }));
      });
    },

    /** Removes the payloads about these contacts. Idempotent. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<void> {
      await events.deleteMany({ account_id: accountId, contact_ids: { $in: [...contactIds] } }, tx && { session: tx.session });
    },
  };
}
