import type { StreamDefinition } from '@mp/contracts/streams';
import type { Db } from 'mongodb';
import type { Broker } from './broker.ts';
import { createFailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';
import { prepareCollection } from './mongo.ts';
import type { Outbox } from './outbox.ts';

export type StreamWatch = ReturnType<typeof createStreamWatch>;

/** The known state of the stream that the service publishes to, shared by its replicas. `losses` counts how often it was lost. */
type StreamRecord = { _id: string; epoch: string; sequence: number; losses: number };

/** The highest sequence assigned so far and the number of losses, at one moment. */
type Known = { floor: number; losses: number };

type Parts = { broker: Broker; outbox: Outbox; db: Db; logger: Logger };

const lookEveryMs = 30_000;
/** A new leader of the stream may briefly know less than the previous one. */
const lookAgainMs = 5_000;

/**
 * Detects when NATS lost messages of a stream (a stream that was created again, or whose sequence decreased) and publishes the whole
 * outbox again, once for all replicas. Consumers skip the events they have applied, so only the lost ones take effect.
 */
export function createStreamWatch({ broker, outbox, db, logger }: Parts, stream: StreamDefinition) {
  const records = db.collection<StreamRecord>('streams');
  const looking = createFailureLog(logger, 'cannot create or read the stream; retrying', { details: { stream: stream.name } });
  /** The highest sequence that the stream is known to have assigned since its last loss. */
  let floor = 0;
  let losses = 0;
  let wentBack = false;
  let doubted = false;
  let lookAt = 0;
  let epoch = '';

  const soon = () => {
    lookAt = 0;
  };
  broker.onReconnected(soon);

  async function look() {
    lookAt = Date.now() + lookEveryMs;
    // Read first: events published in the meantime raise the floor above the sequence that is read.
    let least = floor;
    const seen = await broker.ensureStream(stream);
    if (!seen) throw new Error(`The NATS user lacks the permissions to create and read ${stream.name}; see deploy/nats/users.conf.`);
    epoch = seen.epoch;
    const known =
      (await records.findOne({ _id: stream.name })) ??
      (await records.findOneAndUpdate(
        { _id: stream.name },
        { $setOnInsert: { epoch: seen.epoch, sequence: seen.lastSequence, losses: 0 } },
        { upsert: true, returnDocument: 'after' },
      ));
    if (!known) return;
    // Initially nothing is known; after another replica published again, its record is newer.
    if (floor === 0 || known.losses !== losses) {
      floor = known.sequence;
      least = floor;
      losses = known.losses;
      wentBack = false;
    }
    const isBehind = seen.epoch === known.epoch && seen.lastSequence < least;
    if (isBehind && !wentBack && !doubted) {
      doubted = true;
      lookAt = Date.now() + lookAgainMs;
      return;
    }
    doubted = false;
    if (seen.epoch !== known.epoch || isBehind || wentBack) return publishAgain(known, seen);
    floor = Math.max(floor, seen.lastSequence);
    if (floor > known.sequence) await records.updateOne({ _id: stream.name, losses }, { $max: { sequence: floor } });
  }

  async function publishAgain(known: StreamRecord, { epoch, lastSequence }: { epoch: string; lastSequence: number }) {
    const rows = await outbox.republish(new Date(0));
    // Recorded last: if this process crashes in between, another one detects the loss again.
    const { modifiedCount } = await records.updateOne(
      { _id: stream.name, losses: known.losses },
      { $set: { epoch, sequence: lastSequence }, $inc: { losses: 1 } },
    );
    floor = lastSequence;
    losses = known.losses + 1;
    wentBack = false;
    if (modifiedCount > 0)
      logger.error({ stream: stream.name, rows }, 'NATS lost messages of this stream; publishing everything again from the outbox');
  }

  return {
    prepare: () => prepareCollection(records, [], db),

    /** Checks the stream if a check is due. Never rejects, because publishing may work when the check does not. */
    async lookWhenDue() {
      if (Date.now() < lookAt) return;
      await look().then(looking.succeeded, looking.failed);
    },

    /** Makes a check due, for example because publishing failed and the stream may be missing. */
    soon,

    /** The epoch of the stream at the last look. */
    epoch: () => epoch,

    /** The state before a batch is published, for `acknowledged`. */
    known: (): Known => ({ floor, losses }),

    /**
     * Checks the acks of a batch. A sequence that was already assigned before the batch means that the stream lost messages. The
     * state must be from before the batch, because a later check may have seen the batch itself.
     */
    acknowledged(acks: readonly { sequence: number; duplicate: boolean }[], before: Known) {
      const fresh = acks.flatMap(({ sequence, duplicate }) => (duplicate ? [] : [sequence]));
      if (fresh.length === 0 || before.losses !== losses) return;
      if (Math.min(...fresh) <= before.floor) {
        wentBack = true;
        soon();
      } else floor = Math.max(floor, ...fresh);
    },

    /** How often the stream was lost, over all replicas and restarts. */
    losses: async () => (await records.findOne({ _id: stream.name }))?.losses ?? 0,
  };
}
