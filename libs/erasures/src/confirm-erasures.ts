import { createFailureLog } from '@mp/service-kit/failure-log';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import type { ErasuresStore, RequestedErasure } from './erasures-store.ts';

const atOnce = 100;

type Deps = {
  erasures: Pick<ErasuresStore, 'open' | 'postpone'>;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** Removes the remaining data of the contact and publishes the confirmation. False when something else must happen first. */
  confirm: (erasure: RequestedErasure) => Promise<boolean>;
};

/**
 * One iteration of a runner over the erasures that are due. An erasure that cannot be confirmed yet is postponed and does not
 * block the others. Returns whether to continue immediately.
 */
export function createConfirmErasures({ erasures, logger, confirm }: Deps) {
  const confirming = createFailureLog(logger, 'cannot confirm an erasure; retrying', { recoveredAfter: 10 });
  return async function confirmErasures(signal: AbortSignal): Promise<boolean> {
    const due = await erasures.open(atOnce);
    let confirmed = 0;
    for (const erasure of due) {
      if (signal.aborted) return false;
      noteInLogs({ account_id: erasure.accountId, request_id: erasure.correlationId });
      try {
        if (await confirm(erasure)) confirmed += 1;
        else await erasures.postpone(erasure.id);
        confirming.succeeded();
      } catch (error) {
        if (isMongoUnavailable(error)) throw error;
        confirming.failed(error, { erasure: erasure.id });
        await erasures.postpone(erasure.id);
      }
    }
    return due.length === atOnce && confirmed > 0;
  };
}
