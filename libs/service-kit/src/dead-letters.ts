import type { EventEnvelope } from '@mp/contracts/event';
import type { JsMsg } from '@nats-io/jetstream';
import type { Broker } from './broker.ts';
import type { FailureLog } from './failure-log.ts';
import { inboxOf } from './inbox.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { isUnavailable, type Mongo } from './mongo.ts';
import type { Patience } from './retry-while-unavailable.ts';

type Parts = {
  mongo: Pick<Mongo, 'db'>;
  broker: Pick<Broker, 'publish'>;
  logger: Logger;
  metrics: Pick<Metrics, 'events'> | undefined;
  /** Of the consumer. */
  name: string;
  /** Logs attempts that failed. */
  reacting: Pick<FailureLog, 'failed'>;
  retryWhileUnavailable: <T>(work: () => Promise<T>) => Promise<T>;
};

export type AttemptLimits = {
  /** Number of attempts before an event is dead-lettered. */
  maxAttempts?: number;
  /** Milliseconds to wait after the n-th failure. */
  retryDelay: (attempt: number) => number;
  patience: Patience;
};

/** Deliveries without a result, because the process crashed or stopped, do not count as failures, but they have their own limit. */
const unfinishedPerAttempt = 4;

/** Decides how often a consumer tries an event. One that it gives up is stored as a dead letter. */
export function createDeadLetters(
  { mongo, broker, logger, metrics, name, reacting, retryWhileUnavailable }: Parts,
  { maxAttempts = 8, retryDelay, patience }: AttemptLimits,
) {
  const failures = createEventFailures(mongo.db, name);
  const maxUnfinished = maxAttempts * unfinishedPerAttempt;

  /** Stores an event that the consumer gave up, with the reason, for operators to replay or delete. It is not delivered again. */
  async function deadLetter(message: JsMsg, reason: string): Promise<void> {
    const letter = {
      consumer: name,
      subject: message.subject,
      stream: message.info.stream,
      sequence: message.seq,
      attempts: message.info.deliveryCount,
      reason,
      at: new Date().toISOString(),
      payload: message.string(),
    };
    await broker.publish(`dead.${name}`, JSON.stringify(letter), `${name}-${message.info.stream}-${message.seq}`);
    logger.error({ subject: message.subject, sequence: message.seq, reason }, 'event dead-lettered');
    metrics?.events.consumed.inc({ consumer: name, outcome: 'dead_lettered' });
    message.term();
  }

  return {
    deadLetter,

    /** Dead-letters an event that was delivered too often without a result. Returns whether it did. */
    async deadLetterUnfinished(message: JsMsg, { id }: EventEnvelope): Promise<boolean> {
      if (message.info.deliveryCount <= maxUnfinished) return false;
      const unfinished = message.info.deliveryCount - 1 - (await retryWhileUnavailable(() => failures.of(id)));
      if (unfinished < maxUnfinished) return false;
      await deadLetter(message, `delivered ${unfinished} times and never finished`);
      return true;
    },

    /** Returns the event for a later attempt, or dead-letters it after the last one. */
    async returnToStream(message: JsMsg, { id }: EventEnvelope, error: unknown) {
      const isDependency = isUnavailable(error);
      const attempt = await retryWhileUnavailable(() => failures.count(id, isDependency ? 'unavailable' : 'failures'));
      if (!isDependency) {
        metrics?.events.consumed.inc({ consumer: name, outcome: 'failed' });
        reacting.failed(error, { subject: message.subject, attempt });
      }
      if (attempt < (isDependency ? patience.attempts : maxAttempts)) {
        // nats-server accepts whole nanoseconds only; otherwise it would redeliver the message immediately.
        return message.nak(Math.round(isDependency ? patience.delay(attempt) : retryDelay(attempt)));
      }
      await deadLetter(message, isDependency ? `a dependency was unavailable ${attempt} times` : `failed ${attempt} times`);
      await failures.forget(id);
    },
  };
}

/** Counts the failures of a consumer's events. NATS counts deliveries, which include those to processes that crashed or stopped. */
function createEventFailures(db: Mongo['db'], consumer: string) {
  const inbox = inboxOf(db);
  const idOf = (eventId: string) => `failures of ${consumer} ${eventId}`;
  return {
    /** Counts a failure of the reaction itself or of a service that it needs, and returns the number of this kind. */
    async count(eventId: string, kind: 'failures' | 'unavailable'): Promise<number> {
      const change = { $inc: { [kind]: 1 }, $set: { at: new Date() } };
      const counted = await inbox.findOneAndUpdate({ _id: idOf(eventId) }, change, { upsert: true, returnDocument: 'after' });
      return counted?.[kind] ?? 1;
    },

    /** The number of failures of both kinds. */
    async of(eventId: string): Promise<number> {
      const counted = await inbox.findOne({ _id: idOf(eventId) });
      return (counted?.failures ?? 0) + (counted?.unavailable ?? 0);
    },

    async forget(eventId: string) {
      await inbox.deleteOne({ _id: idOf(eventId) });
    },
  };
}
