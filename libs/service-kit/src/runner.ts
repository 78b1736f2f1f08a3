import { backoff, pause } from './backoff.ts';
import { areAllLinked, noteReads, onWritten } from './changes.ts';
import { createFailureLog } from './failure-log.ts';
import { inLogContext } from './log-context.ts';
import type { Logger } from './logger.ts';

/** Background work between `start` and `stop`. `outward` work is not started under MAINTENANCE. */
export type Background = { start: () => void; stop: () => Promise<void>; outward?: true };

export type Runner = Background & {
  /** Starts the next iteration now instead of after the pause. */
  wake: () => void;
};

/** There is nothing to do before this time has passed, unless a collection that the work has read changes. */
export type Rest = { atMostMs: number };

/** Whether to continue immediately. A number is a pause in milliseconds, however much changes; false is a rest without a known end. */
export type Again = boolean | number | Rest;

type RunnerConfig = {
  logger: Pick<Logger, 'warn' | 'info'>;
  /** The log message while the work fails, and on recovery. */
  warning: string;
  /** One bounded iteration. */
  work: (signal: AbortSignal) => Promise<Again>;
  /** The pause while there is traffic, and how often to look when this process cannot learn of the writes of others. */
  lookEveryMs?: number;
  backoffMs?: { first: number; max: number };
  /** The longest rest: a message of another replica may be lost, and a process may die before it sends one. */
  maxRestMs?: number;
  /** Number of consecutive failures that are expected and not logged. */
  unloggedFailures?: number;
};

/** After a change the usual pace is kept for this time, so that retries and short waits need no timer of their own. */
const alertMs = 20_000;

/** A rest until the time at which the next job is due; at the usual pace while one is overdue, because it must wait for something else. */
export const untilDue = (next: Date | null | undefined, now: Date): Rest | false =>
  next ? { atMostMs: next.getTime() - now.getTime() } : false;

/**
 * Repeats work in the background, and rests when there is nothing to do, until a collection that the work has read is written, by this
 * process or by another replica. The work itself claims jobs in the database, so that replicas share them and a crash only delays them.
 */
export function createRunner({
  logger,
  warning,
  work,
  lookEveryMs = 1_000,
  backoffMs = { first: 100, max: 2_000 },
  maxRestMs = 10_000,
  unloggedFailures = 0,
}: RunnerConfig): Runner {
  const stopping = new AbortController();
  let nap = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let read = new Set<string>();
  let changedAt = Number.NEGATIVE_INFINITY;
  let isResting = false;
  const log = createFailureLog(logger, warning, { unloggedFailures: unloggedFailures });

  /** Undefined after a failure. In its own log context, to which the work adds the account of its job. */
  async function iterate(): Promise<Again | undefined> {
    try {
      const again = await work(stopping.signal);
      log.succeeded();
      return again;
    } catch (error) {
      log.failed(error);
      return undefined;
    }
  }

  async function rest(atMostMs: number) {
    const usualMs = atMostMs > 0 ? Math.min(atMostMs, lookEveryMs) : lookEveryMs;
    await pause(usualMs, nap.signal);
    const leftMs = Math.min(atMostMs, maxRestMs) - usualMs;
    if (leftMs <= 0 || performance.now() < changedAt + alertMs || !areAllLinked(read)) return;
    isResting = true;
    await pause(leftMs, nap.signal);
    isResting = false;
  }

  async function run() {
    const forget = onWritten((namespace) => {
      if (!read.has(namespace)) return;
      changedAt = performance.now();
      if (isResting) nap.abort();
    });
    for (let failures = 0; !stopping.signal.aborted; ) {
      // Created before the iteration, so that a wake during it skips the pause that follows.
      nap = new AbortController();
      read = new Set();
      const again = await inLogContext({}, () => noteReads(read, iterate));
      if (again === undefined) {
        await pause(backoff(failures, backoffMs.first, backoffMs.max), stopping.signal);
        failures += 1;
        continue;
      }
      failures = 0;
      if (typeof again === 'number') await pause(again, nap.signal);
      else if (again !== true) await rest(again === false ? Number.POSITIVE_INFINITY : again.atMostMs);
    }
    forget();
  }

  return {
    start() {
      running = run();
    },

    /** Skips the pause and waits for the current iteration. */
    async stop() {
      stopping.abort();
      nap.abort();
      await running;
    },

    wake: () => nap.abort(),
  };
}
