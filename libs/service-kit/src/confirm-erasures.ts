import type { AskedErasure, ErasuresStore } from './erasures-store.ts';
import { createFailureLog } from './failure-log.ts';
import type { Logger } from './logger.ts';
import { isMongoAway } from './mongo.ts';

const atOnce = 100;

type Deps = {
  erasures: Pick<ErasuresStore, 'open' | 'postpone'>;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** Removes what is left of the person and tells so. False when something else has to be done first. */
  confirm: (asked: AskedErasure) => Promise<boolean>;
};

/**
 * A runner's turn over the erasures that are due. One that cannot be confirmed now goes behind the others and holds up
 * none of them. Returns whether to look again at once.
 */
export function createConfirmErasures({ erasures, logger, confirm }: Deps) {
  const confirming = createFailureLog(logger, 'an erasure is not confirmed; retrying', { recoveredAfter: 10 });
  return async function confirmErasures(signal: AbortSignal): Promise<boolean> {
    const due = await erasures.open(atOnce);
    let confirmed = 0;
    for (const asked of due) {
      if (signal.aborted) return false;
      try {
        if (await confirm(asked)) confirmed += 1;
        else await erasures.postpone(asked.id);
        confirming.succeeded();
      } catch (error) {
        if (isMongoAway(error)) throw error;
        confirming.failed(error, { erasure: asked.id });
        await erasures.postpone(asked.id);
      }
    }
    return due.length === atOnce && confirmed > 0;
  };
}
