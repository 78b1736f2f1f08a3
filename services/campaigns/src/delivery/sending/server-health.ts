import { backoff } from '@mp/service-kit/backoff';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import { type Delivery, statusCodes } from './smtp-outcome.ts';

export type ServerHealth = ReturnType<typeof createServerHealth>;

/** What the deliveries say about the mail server. While it is unavailable, nothing is sent; its rejections are logged. */
export function createServerHealth(logger: Pick<Logger, 'warn' | 'info'>) {
  const reaching = createFailureLog(logger, 'the mail server is unavailable; emails stay queued');
  const rejected = {
    deferred: createFailureLog(logger, 'the mail server defers emails; retrying', { recoveredAfter: 10 }),
    refused: createFailureLog(logger, 'the mail server rejects emails', { recoveredAfter: 10 }),
  };
  let failuresInRow = 0;
  let unavailableUntil = 0;
  let respondedAt = 0;

  function responded(delivery: Delivery) {
    respondedAt = Date.now();
    failuresInRow = 0;
    reaching.succeeded();
    if (delivery.kind === 'deferred' || delivery.kind === 'refused')
      rejected[delivery.kind].failed(new Error(`The mail server responded with ${statusCodes(delivery.response)}.`));
    else if (delivery.kind === 'accepted') for (const log of Object.values(rejected)) log.succeeded();
  }

  return {
    /** When it is tried again, in epoch milliseconds; in the past while it is available. */
    unavailableUntil: () => unavailableUntil,

    /** Takes note of the delivery of an email that was begun at `begunAt`, and returns what it says about the email. */
    note(delivery: Delivery, begunAt: number): Delivery {
      if (delivery.kind !== 'unreachable') {
        responded(delivery);
        return delivery;
      }
      if (delivery.phase === 'late') return delivery;
      // The server has responded to other emails since, so the address is at fault.
      const isTimeout = delivery.phase === 'timeout';
      if (isTimeout && respondedAt > begunAt) return { kind: 'deferred', response: delivery.error, isTimeout };
      if (Date.now() < unavailableUntil) return delivery;
      reaching.failed(new Error(delivery.error));
      unavailableUntil = Date.now() + 50 + backoff(failuresInRow, 200, 5_000);
      failuresInRow += 1;
      return delivery;
    },
  };
}
