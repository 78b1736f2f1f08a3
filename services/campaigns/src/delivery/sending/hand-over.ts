import { createBatcher } from '@mp/service-kit/batches';
import type { RecipientsQueue } from '../../ledger/recipients/recipients-queue.ts';
import type { Visit } from './domain-gate.ts';
import type { OpenLane } from './fair-queue.ts';
import type { Ready } from './prepare-batch.ts';
import type { ServerHealth } from './server-health.ts';
import type { Smtp } from './smtp-connections.ts';
import type { Delivery } from './smtp-outcome.ts';

type Deps = {
  queue: Pick<RecipientsQueue, 'startSending' | 'release'>;
  smtp: Pick<Smtp, 'deliver'>;
  health: ServerHealth;
  isOpen: (lane: OpenLane, row: Ready['row']) => Promise<boolean>;
  leaseMs: number;
};

/** How long a check that the lane is open stays valid while an email waits for a connection. */
const freshMs = 500;

/**
 * The connections that wait while one write marks rows are marked together by the next. More writes at once would each mark only one or
 * two rows. Rows are not marked ahead, because a crash would leave them `unknown` although nothing of them was sent.
 */
const marking = { maxItems: 100 };

/**
 * Hands one email over to the mail server, unless its lane has been closed: then the row is released. The row is marked as
 * `sending` when the server waits for the content, before the first byte of it. Returns undefined if the email was withdrawn.
 */
export function createHandOver({ queue, smtp, health, isOpen, leaseMs }: Deps) {
  const mark = createBatcher(async (items: readonly Ready[]) => {
    const started = await queue.startSending(
      items.map(({ row, mail }) => ({ row, address: mail.to, messageId: mail.messageId, links: mail.links })),
      leaseMs,
    );
    return ({ row }: Ready) => started.has(row._id);
  }, marking);

  return async (
    lane: OpenLane,
    ready: Ready,
    its: { visit: Visit; signal: AbortSignal; isClaimed: () => boolean },
  ): Promise<Delivery | undefined> => {
    const { visit, signal, isClaimed } = its;
    const { row, mail } = ready;

    async function mayStart(): Promise<boolean> {
      if (!signal.aborted && Date.now() >= health.unavailableUntil() && (await isOpen(lane, row))) return true;
      await queue.release([row], new Date(Math.max(Date.now(), health.unavailableUntil())));
      return false;
    }

    if (!(await mayStart())) return undefined;
    const seenAt = Date.now();
    let begunAt = Number.POSITIVE_INFINITY;
    const delivery = await smtp.deliver({ from: mail.from, to: mail.to }, mail.raw, {
      async mayStart() {
        if (!isClaimed() || (Date.now() - seenAt > freshMs && !(await mayStart()))) return false;
        visit.begun();
        begunAt = Date.now();
        return true;
      },
      async beforeContent() {
        const markedAt = Date.now();
        visit.paused();
        const isMarked = await mark(ready);
        visit.begun();
        return isMarked ? markedAt + leaseMs / 2 : undefined;
      },
    });
    return delivery && health.note(delivery, begunAt);
  };
}
