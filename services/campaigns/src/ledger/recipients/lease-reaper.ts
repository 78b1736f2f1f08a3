import type { Logger } from '@mp/service-kit/logger';
import { createRunner } from '@mp/service-kit/runner';
import type { RecipientsQueue } from './recipients-queue.ts';
import type { RecordOutcomes } from './record-outcomes.ts';

type Deps = { queue: RecipientsQueue; recordOutcomes: RecordOutcomes; everyMs: number; logger: Logger };

const atOnce = 100;

/** Marks rows whose worker was lost during sending as `unknown`; it never guesses whether they were sent. */
export const createLeaseReaper = ({ queue, recordOutcomes, everyMs, logger }: Deps) =>
  createRunner({
    logger,
    warning: 'looking for expired leases failed; retrying',
    lookEveryMs: everyMs,
    async work() {
      const rows = await queue.expired(atOnce);
      const at = new Date();
      await recordOutcomes(rows.map((row) => ({ row, state: 'unknown', reason: 'worker_lost', detail: null, at })));
      return rows.length === atOnce;
    },
  });
