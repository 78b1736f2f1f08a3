import { WebhookDelivered } from '@mp/contracts/events/workflows';
import type { Clock } from '@mp/service-kit/clock';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createRunner } from '@mp/service-kit/runner';
import type { Held } from './delivery-document.ts';

const maxReported = 1_000;

export type ReportDelivered = ReturnType<typeof createReportDelivered>;

type Deps = { mongo: Mongo; outbox: Pick<Outbox, 'add'>; logger: Logger; clock: Clock };

/**
 * Publishes which events receivers have accepted, for the journal of a restore: one event a second for each webhook, because one for
 * each delivery would double the writes. A process that is killed loses its last second.
 */
export function createReportDelivered({ mongo, outbox, logger, clock }: Deps) {
  let noted: Held[] = [];

  async function report(): Promise<false> {
    for (const [webhook_id, all] of Map.groupBy(noted, ({ webhookId }) => webhookId)) {
      for (let from = 0; from < all.length; from += maxReported) {
        const reported = all.slice(from, from + maxReported);
        const [first] = reported;
        if (!first) continue;
        const event_ids = reported.map(({ eventId }) => eventId);
        await mongo.transaction({ correlationId: webhook_id, causationId: null }, async (tx) => {
          await outbox.add(tx, WebhookDelivered, first.accountId, { webhook_id, event_ids, at: clock().toISOString() });
        });
        const done = new Set(reported);
        noted = noted.filter((held) => !done.has(held));
      }
    }
    return false;
  }

  const runner = createRunner({ logger, warning: 'cannot publish successful deliveries; retrying', work: report });

  return {
    note: (held: readonly Held[]) => void noted.push(...held),
    start: runner.start,
    async stop() {
      await runner.stop();
      await report().catch((err: unknown) => logger.warn({ err }, 'cannot publish the last successful deliveries'));
    },
  };
}
