import { backoff, pause } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import type { RecipientsQueue } from './recipients-queue.ts';
import type { RecordOutcomes } from './record-outcomes.ts';

type Deps = { queue: RecipientsQueue; recordOutcomes: RecordOutcomes; everyMs: number; logger: Logger };

/** Finds rows whose worker is gone since it began to hand them over, and says so: `unknown`, never a guess. */
export function createLeaseReaper({ queue, recordOutcomes, everyMs, logger }: Deps) {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const rows = await queue.expired(100);
        const at = new Date();
        await recordOutcomes(rows.map((row) => ({ row, state: 'unknown', reason: 'worker_lost', detail: null, at })));
        failures = 0;
        if (rows.length < 100) await pause(everyMs, stopping.signal);
      } catch (error) {
        if (failures % 10 === 0) logger.warn({ err: error }, 'expired leases were not looked at');
        await pause(backoff(failures, 100, 2_000), stopping.signal);
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
