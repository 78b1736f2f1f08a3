import type { Position } from '@mp/contracts/position';
import { backlogRequests } from '@mp/contracts/requests/backlogs';
import type { Source } from '@mp/contracts/requests/positions';
import type { AccountId, SegmentId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { z } from 'zod';

export const Backlog = z
  .object({
    up_to_date_until: z.iso
      .datetime()
      .nullable()
      .describe('The members reflect every contact and event that was written until this time; null if the time is unknown.'),
  })
  .meta({ id: 'SegmentBacklog' });
export type Backlog = z.infer<typeof Backlog>;

export type ReadBacklog = ReturnType<typeof createReadBacklog>;

type Deps = {
  sourcesOf: (accountId: AccountId, segmentIds: readonly SegmentId[]) => Promise<Source[]>;
  appliedOf: (source: Source) => Promise<Position>;
};

const replyMs = 2_000;

/** Reads which events of an account, from the services that a segment depends on, have yet to be applied. Never waits for them. */
export function createReadBacklog(broker: Pick<Broker, 'request'>, { sourcesOf, appliedOf }: Deps) {
  /** Null when nothing of the account waits. Throws SERVICE_UNAVAILABLE if one of the services does not reply. */
  return async (accountId: AccountId, segmentId: SegmentId): Promise<Backlog | null> => {
    const found = await Promise.all(
      (await sourcesOf(accountId, [segmentId])).map(async (source) => {
        const applied = await appliedOf(source);
        return (await broker.request(backlogRequests[source], { account_id: accountId, applied }, replyMs)).backlog;
      }),
    );
    const times = found.flatMap((backlog) => (backlog ? [backlog.until] : []));
    if (times.length === 0) return null;
    const [earliest = null] = times.includes(null) ? [] : times.toSorted();
    return { up_to_date_until: earliest };
  };
}
