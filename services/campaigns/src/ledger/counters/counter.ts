import type { Logger } from '@mp/service-kit/logger';
import { createRunner } from '@mp/service-kit/runner';
import { type CountersStore, countedAtOnce } from './counters-store.ts';

/** Adds changed rows to the counters, in the background. Reports include those that wait for the next look. */
export const createCounter = ({ counters, logger }: { counters: CountersStore; logger: Logger }) =>
  createRunner({
    logger,
    warning: 'counting engagements failed; retrying',
    unloggedFailures: 3,
    backoffMs: { first: 50, max: 2_000 },
    lookEveryMs: 200,
    work: async () => (await counters.count()) === countedAtOnce,
  });
