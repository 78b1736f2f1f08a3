import { backoff, pause } from './backoff.ts';
import { createFailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';

/** Background work between `start` and `stop`. `outward` work is not started under MAINTENANCE. */
export type Background = { start: () => void; stop: () => Promise<void>; outward?: true };

export type Runner = Background & {
  /** Starts the next iteration now instead of after the pause. */
  wake: () => void;
};

type RunnerConfig = {
  logger: Pick<Logger, 'warn' | 'info'>;
  /** The log message while the work fails, and on recovery. */
  warning: string;
  /** One bounded iteration. Returns true to continue immediately, false to pause for `lookEveryMs`, or a pause in milliseconds. */
  work: (signal: AbortSignal) => Promise<boolean | number>;
  lookEveryMs?: number;
  backoffMs?: { first: number; most: number };
  /** Number of consecutive failures that are expected and not logged. */
  unloggedFailures?: number;
};

/**
 * Repeats work in the background, pausing when there is nothing to do. The work itself claims jobs in the database, so that replicas
 * share them and a crash only delays them.
 */
export function createRunner({
  logger,
  warning,
  work,
  lookEveryMs = 1_000,
  backoffMs = { first: 100, most: 2_000 },
  unloggedFailures = 0,
}: RunnerConfig): Runner {
  const stopping = new AbortController();
  let nap = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const log = createFailureLog(logger, warning, { unloggedFailures: unloggedFailures });

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; ) {
      // Created before the iteration, so that a wake during it skips the pause that follows.
      nap = new AbortController();
      try {
        const again = await work(stopping.signal);
        failures = 0;
        log.succeeded();
        if (again !== true) await pause(again === false ? lookEveryMs : again, nap.signal);
      } catch (error) {
        log.failed(error);
        await pause(backoff(failures, backoffMs.first, backoffMs.most), stopping.signal);
        failures += 1;
      }
    }
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
