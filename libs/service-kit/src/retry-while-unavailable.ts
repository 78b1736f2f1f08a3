import { backoff, pause } from './backoff.ts';
import type { Broker } from './broker.ts';
import { createFailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';
import { isMongoUnavailable, isUnavailable } from './mongo.ts';

/** How long an event waits for another service, which may be unavailable or fail for this event only. */
export type Patience = {
  /** How long an event is held and retried before it is returned to the stream, so that others can take its place. */
  holdMs: number;
  /** How often it is returned before it is dead-lettered. */
  attempts: number;
  /** Milliseconds until it is redelivered after it was returned for the n-th time. */
  delay: (attempt: number) => number;
};

/** About twelve hours. */
export const defaultPatience: Patience = { holdMs: 30_000, attempts: 1_000, delay: (attempt) => backoff(attempt, 2_000, 20_000) };

type Deps = {
  broker: Pick<Broker, 'ready'>;
  logger: Logger;
  signal: AbortSignal;
  /** How long work is retried while another service is unavailable. */
  holdMs: number;
  details: Record<string, unknown>;
};

/** Retries the work on an event while what it depends on is unavailable, so that the event is not at fault. */
export function createRetries({ broker, logger, signal, holdMs, details }: Deps) {
  const waiting = createFailureLog(logger, 'events wait for an unavailable dependency; retrying', { details });

  /** MongoDB or NATS is unavailable: no event can take effect, so it is not the fault of this one. */
  const isInfraUnavailable = (error: unknown) => isMongoUnavailable(error) || (isUnavailable(error) && !broker.ready());

  return {
    isInfraUnavailable,

    /** Retries indefinitely for MongoDB and NATS, and for `holdMs` for another service. */
    async retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
      const giveBackAt = performance.now() + holdMs;
      for (let waits = 0; ; waits += 1) {
        try {
          const result = await work();
          waiting.succeeded();
          return result;
        } catch (error) {
          const isHeld = isInfraUnavailable(error) || (isUnavailable(error) && performance.now() < giveBackAt);
          if (!isHeld || signal.aborted) throw error;
          waiting.failed(error);
          await pause(backoff(waits, 200, 5_000), signal);
        }
      }
    },
  };
}
