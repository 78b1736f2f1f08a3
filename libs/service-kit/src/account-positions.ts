import type { Lane } from '@mp/contracts/lanes';
import type { AccountId } from '@mp/ids';
import type { Db } from 'mongodb';
import { prepareCollection } from './mongo.ts';

export type Published = { accountId: AccountId; lane: Lane; sequence: number };

/** The sequences of an account's own newest events in the stream, by lane. */
type PositionDocument = { _id: string; live?: number; bulk?: number; at: Date };

export type AccountPositions = ReturnType<typeof createAccountPositions>;

/** Longer than the stream stores events; after that, there is nothing to wait for. */
const keptSeconds = 8 * 24 * 60 * 60;

/**
 * Where the newest events of each account are in the stream of this service, so that who waits for the events of an account waits for
 * nobody else's. `epoch` is that of the stream: a stream that is created again restarts at 1.
 */
export function createAccountPositions(db: Db) {
  const positions = db.collection<PositionDocument>('account_positions');
  const idOf = (epoch: string, accountId: AccountId) => `${accountId} ${epoch}`;

  return {
    prepare: () => prepareCollection(positions, [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: keptSeconds }], db),

    /** Records a batch before its rows count as published. */
    async record(epoch: string, published: readonly Published[]) {
      if (published.length === 0) return;
      const at = new Date();
      const newest = new Map<string, { _id: string; lane: Lane; sequence: number }>();
      for (const { accountId, lane, sequence } of published) {
        const _id = idOf(epoch, accountId);
        const known = newest.get(`${_id} ${lane}`);
        newest.set(`${_id} ${lane}`, { _id, lane, sequence: Math.max(sequence, known?.sequence ?? 0) });
      }
      await positions.bulkWrite(
        [...newest.values()].map(({ _id, lane, sequence }) => ({
          updateOne: { filter: { _id }, update: { $max: { [lane]: sequence }, $set: { at } }, upsert: true },
        })),
      );
    },

    /** Without a lane in which the account has no event, or none since positions are recorded. */
    async of(epoch: string, accountId: AccountId): Promise<{ live?: number; bulk?: number }> {
      const found = await positions.findOne({ _id: idOf(epoch, accountId) });
      return { ...(found?.live !== undefined && { live: found.live }), ...(found?.bulk !== undefined && { bulk: found.bulk }) };
    },
  };
}
