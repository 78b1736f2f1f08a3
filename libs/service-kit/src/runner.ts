import { backoff, pause } from './backoff.ts';
import { createFailureLog } from './failure-log.ts';
import { inLogContext } from './log-context.ts';
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
  backoffMs?: { first: number; max: number };
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
  backoffMs = { first: 100, max: 2_000 },
  unloggedFailures = 0,
}: RunnerConfig): Runner {
  const stopping = new AbortController();
  let nap = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const log = createFailureLog(logger, warning, { unloggedFailures: unloggedFailures });

  /** Undefined after a failure. In its own log context, to which the work adds the account of its job. */
  async function iterate(): Promise<boolean | number | undefined> {
    try {
      const again = await work(stopping.signal);
      log.succeeded();
      return again;
    } catch (error) {
      log.failed(error);
      return undefined;
    }
  }

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; ) {
      // Created before the iteration, so that a wake during it skips the pause that follows.
      nap = new AbortController();
      const again = await inLogContext({}, iterate);
      if (again === undefined) {
        await pause(backoff(failures, backoffMs.first, backoffMs.max), stopping.signal);
        failures += 1;
        continue;
      }
      failures = 0;
      if (again !== true) await pause(again === false ? lookEveryMs : again, nap.signal);
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
