import type { BacklogRequest } from '@mp/contracts/requests/backlogs';
import { createdAt } from '@mp/ids';
import type { AccountPositions } from './account-positions.ts';
import type { Broker } from './broker.ts';
import type { Outbox } from './outbox.ts';

type Parts = {
  broker: Pick<Broker, 'reply'>;
  outbox: Pick<Outbox, 'oldestPending'>;
  positions: Pick<AccountPositions, 'backlog'>;
};

/** Events that have just been written are not a backlog yet. */
const publishedWithinMs = 5_000;

/** Replies with the backlog of an account in the outbox and the stream of this service, for a consumer that says what it has applied. */
export function replyWithBacklog({ broker, outbox, positions }: Parts, type: BacklogRequest) {
  async function unpublished(accountId: Parameters<Outbox['oldestPending']>[0]) {
    const oldest = await outbox.oldestPending(accountId);
    const until = oldest === undefined ? undefined : createdAt(oldest);
    return until && until.getTime() < Date.now() - publishedWithinMs ? { until } : undefined;
  }

  return () =>
    broker.reply(type, async ({ account_id, applied }) => {
      const backlog = (await positions.backlog(account_id, applied)) ?? (await unpublished(account_id));
      return { backlog: backlog ? { until: backlog.until?.toISOString() ?? null } : null };
    });
}
