import type { Lane } from '@mp/contracts/lanes';
import type { Position } from '@mp/contracts/position';
import { type AccountId, createdAt } from '@mp/ids';
import type { Db } from 'mongodb';
import { prepareCollection } from './mongo.ts';

export type Published = { id: string; accountId: AccountId; lane: Lane; sequence: number };

/** The sequences of an account's own newest events in the stream, by lane. */
type PositionDocument = { _id: string; account_id: AccountId; live?: number; bulk?: number; at: Date; marks?: Mark[] };

/** The time at which an event of the bulk lane was written, to say up to when an account's backlog has been applied. */
type Mark = { sequence: number; at: Date };

type Newest = { _id: string } & Published;

export type AccountPositions = ReturnType<typeof createAccountPositions>;

/** Longer than the stream stores events; after that, there is nothing to wait for. */
const keptSeconds = 8 * 24 * 60 * 60;

/** Four hours of a backlog, to the minute. */
const marks = { everyMs: 60_000, max: 240 };
const maxAccounts = 10_000;

/**
 * Where the newest events of each account are in the stream of this service, so that who waits for the events of an account waits for
 * nobody else's. `epoch` is that of the stream: a stream that is created again restarts at 1.
 */
export function createAccountPositions(db: Db) {
  const positions = db.collection<PositionDocument>('account_positions');
  /** When this process last marked the time of an account. */
  const markedAt = new Map<string, number>();
  const idOf = (epoch: string, accountId: AccountId) => `${accountId} ${epoch}`;

  function markOf({ _id, lane, id, sequence }: Newest, now: number) {
    if (lane === 'live' || now - (markedAt.get(_id) ?? 0) < marks.everyMs) return {};
    if (markedAt.size >= maxAccounts) markedAt.clear();
    markedAt.set(_id, now);
    return { $push: { marks: { $each: [{ sequence, at: createdAt(id) }], $slice: -marks.max } } };
  }

  return {
    prepare: () =>
      prepareCollection(
        positions,
        [
          { key: { at: 1 }, name: 'expiry', expireAfterSeconds: keptSeconds },
          { key: { account_id: 1 }, name: 'account' },
        ],
        db,
      ),

    /** Records a batch before its rows count as published. */
    async record(epoch: string, published: readonly Published[]) {
      if (published.length === 0) return;
      const at = new Date();
      const newest = new Map<string, Newest>();
      for (const event of published) {
        const _id = idOf(epoch, event.accountId);
        const known = newest.get(`${_id} ${event.lane}`);
        if (!known || known.sequence < event.sequence) newest.set(`${_id} ${event.lane}`, { _id, ...event });
      }
      await positions.bulkWrite(
        [...newest.values()].map((event) => ({
          updateOne: {
            filter: { _id: event._id },
            update: { $max: { [event.lane]: event.sequence }, $set: { account_id: event.accountId, at }, ...markOf(event, at.getTime()) },
            upsert: true,
          },
        })),
      );
    },

    /** Without a lane in which the account has no event, or none since positions are recorded. */
    async of(epoch: string, accountId: AccountId): Promise<{ live?: number; bulk?: number }> {
      const found = await positions.findOne({ _id: idOf(epoch, accountId) });
      return { ...(found?.live !== undefined && { live: found.live }), ...(found?.bulk !== undefined && { bulk: found.bulk }) };
    },

    /** For the erasure of the account, once its last event is published. Can be repeated. */
    async eraseAccount(accountId: AccountId) {
      await positions.deleteMany({ account_id: accountId });
    },

    /**
     * The backlog of a consumer that has applied the stream up to a position: undefined when it has applied every published event of
     * the account. `until`: it has applied what was written until then; null if that is unknown, as for events of the live lane.
     */
    async backlog(accountId: AccountId, { epoch, sequence, bulk = 0 }: Position): Promise<{ until: Date | null } | undefined> {
      const found = await positions.findOne({ _id: idOf(epoch, accountId) });
      if ((found?.live ?? 0) > sequence) return { until: null };
      if ((found?.bulk ?? 0) <= bulk) return undefined;
      return { until: found?.marks?.findLast((mark) => mark.sequence <= bulk)?.at ?? null };
    },
  };
}
