import { backoff, pause } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import type { CountersStore } from './counters-store.ts';

const everyMs = 200;

/** Keeps the counters up with what receivers do. */
export function createCounter({ counters, logger }: { counters: CountersStore; logger: Logger }) {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const counted = await counters.count();
        failures = 0;
        if (counted === 0) await pause(everyMs, stopping.signal);
      } catch (error) {
        if (failures % 10 === 3) logger.warn({ err: error }, 'engagements wait to be counted');
        await pause(backoff(failures, 50, 2_000), stopping.signal);
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
  };
}
