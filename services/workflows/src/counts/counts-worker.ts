import { newId } from '@mp/ids';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { CountsStore } from './counts-store.ts';

const foldEveryMs = 500;
const maxRows = 1_000;

export type CountsWorker = ReturnType<typeof createCountsWorker>;

/**
 * Adds the log of all runs to the counters, in the background. A counter in the transaction of each step would make all
 * steps of a workflow conflict. A row is counted and marked as counted in one transaction, so it counts once; of two
 * processes that fold the same rows, one retries and finds others.
 */
export function createCountsWorker({ mongo, logger, counts }: { mongo: Mongo; logger: Logger; counts: CountsStore }) {
  const fold = () => mongo.transaction({ correlationId: newId('request'), causationId: null }, (tx) => counts.fold(tx, maxRows));
  const runner = createRunner({
    logger,
    warning: 'updating the counters of workflows failed; retrying',
    backoffMs: { first: 200, max: 5_000 },
    // Different in each process, so that they seldom fold at the same time.
    lookEveryMs: foldEveryMs * (0.75 + Math.random() / 2),
    work: async () => (await fold()) === maxRows,
  });
  return { start: runner.start, stop: runner.stop, fold };
}
