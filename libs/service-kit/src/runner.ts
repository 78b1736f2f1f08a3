import { backoff, pause } from './backoff.ts';
import { createFailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';
import type { Background } from './parts.ts';

export type Runner = Background & {
  /** There is work now: do not wait for the next look. */
  wake: () => void;
};

type RunnerConfig = {
  logger: Pick<Logger, 'warn' | 'info'>;
  /** What the log says while the work fails: at the first failure in a row, at every tenth after it, and on recovery. */
  warning: string;
  /** One bounded turn. Returns whether to look again at once, or else how long to rest; just false is `lookEveryMs`. */
  work: (signal: AbortSignal) => Promise<boolean | number>;
  lookEveryMs?: number;
  backoffMs?: { first: number; most: number };
  /** So many failures in a row are normal and are not logged. */
  untoldFailures?: number;
};

/**
 * Works in the background as long as there is something to do, a turn at a time. What is to be done is claimed in the
 * database, so replicas share it and a crash only delays it.
 */
export function createRunner({
  logger,
  warning,
  work,
  lookEveryMs = 1_000,
  backoffMs = { first: 100, most: 2_000 },
  untoldFailures = 0,
}: RunnerConfig): Runner {
  const stopping = new AbortController();
  let nap = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const log = createFailureLog(logger, warning, { unloggedFailures: untoldFailures });

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; ) {
      // Before the turn, so that who wakes it meanwhile ends the rest after it.
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

    /** Ends a rest, and waits for the turn that is under way. */
    async stop() {
      stopping.abort();
      nap.abort();
      await running;
    },

    wake: () => nap.abort(),
  };
}
