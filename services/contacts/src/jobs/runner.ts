import { backoff, pause } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import type { Background } from '@mp/service-kit/parts';

export type Runner = Background & {
  /** There is work now: do not wait for the next look. */
  wake: () => void;
};

/**
 * Works in the background as long as `work` finds something to do. `work` does one bounded piece and says whether it
 * did any; pieces are claimed by lease in the database, so replicas share them and a crash only delays one.
 */
export function createRunner({
  name,
  logger,
  work,
  lookEveryMs = 1_000,
}: {
  name: string;
  logger: Logger;
  work: (signal: AbortSignal) => Promise<boolean>;
  lookEveryMs?: number;
}): Runner {
  const stopping = new AbortController();
  let nap = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; ) {
      nap = new AbortController();
      try {
        const worked = await work(stopping.signal);
        failures = 0;
        if (!worked) await pause(lookEveryMs, AbortSignal.any([nap.signal, stopping.signal]));
      } catch (error) {
        if (failures % 10 === 0) logger.warn({ err: error, work: name }, 'work in the background failed; trying on');
        await pause(backoff(failures, 100, 5_000), stopping.signal);
        failures += 1;
      }
    }
  }

  return {
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
    wake: () => nap.abort(),
  };
}
