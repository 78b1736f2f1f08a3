import type { StreamDefinition } from '@mp/contracts/streams';
import type { Db } from 'mongodb';
import type { Broker } from './broker.ts';
import { createFailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';
import { prepareCollection } from './mongo.ts';
import type { Outbox } from './outbox.ts';

export type StreamWatch = ReturnType<typeof createStreamWatch>;

/** What the service knows of the stream it publishes into; replicas share it. `losses` counts how often it was lost. */
type StreamRecord = { _id: string; epoch: string; sequence: number; losses: number };

/** The highest sequence that was given out, and how many losses were found, at one moment. */
type Known = { floor: number; losses: number };

type Parts = { broker: Broker; outbox: Outbox; db: Db; logger: Logger };

const lookEveryMs = 30_000;
/** A server that has just become the stream's leader may know less than the one before for a moment. */
const lookAgainMs = 5_000;

/**
 * Notices when the broker lost what a stream kept (a stream made anew, or one whose sequence went back) and publishes
 * all of it again from the outbox, once for all replicas. Consumers recognise what they had, so what was lost before
 * they had it takes effect then.
 */
export function createStreamWatch({ broker, outbox, db, logger }: Parts, stream: StreamDefinition) {
  const records = db.collection<StreamRecord>('streams');
  const looking = createFailureLog(logger, 'the stream cannot be made or looked at; retrying', { details: { stream: stream.name } });
  /** The highest sequence that the stream is known to have given out since its last loss. */
  let floor = 0;
  let losses = 0;
  let wentBack = false;
  let doubted = false;
  let lookAt = 0;

  const soon = () => {
    lookAt = 0;
  };
  broker.onReconnected(soon);

  async function look() {
    lookAt = Date.now() + lookEveryMs;
    // Before looking: what is published meanwhile raises the floor above what is seen.
    let least = floor;
    const seen = await broker.ensureStream(stream);
    if (!seen) throw new Error(`The NATS user may not make ${stream.name} and look at it; deploy/nats/users.conf says what it needs.`);
    const known = await records.findOneAndUpdate(
      { _id: stream.name },
      { $setOnInsert: { epoch: seen.epoch, sequence: seen.lastSequence, losses: 0 } },
      { upsert: true, returnDocument: 'after' },
    );
    if (!known) return;
    // Before the first look nothing is known; after another replica's republish it knows better.
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
    // Only after that: a process that dies in between leaves the loss for the next one to find.
    const { modifiedCount } = await records.updateOne(
      { _id: stream.name, losses: known.losses },
      { $set: { epoch, sequence: lastSequence }, $inc: { losses: 1 } },
    );
    floor = lastSequence;
    losses = known.losses + 1;
    wentBack = false;
    if (modifiedCount > 0)
      logger.error({ stream: stream.name, rows }, 'NATS lost what this stream kept; all of it is published again from the outbox');
  }

  return {
    prepare: () => prepareCollection(records, [], db),

    /** Looks when it is time to. Fails never: publishing may go on where looking is not possible. */
    async lookWhenDue() {
      if (Date.now() < lookAt) return;
      await look().then(looking.succeeded, looking.failed);
    },

    /** The next look is due: nothing could be published, so perhaps there is no stream. */
    soon,

    /** What is known before a batch is published, for `acknowledged`. */
    known: (): Known => ({ floor, losses }),

    /**
     * What the stream answered to a batch. A sequence that was given out before the batch means that the stream lost what
     * had it. A look in between may have seen the batch itself, so the floor of now says nothing.
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
