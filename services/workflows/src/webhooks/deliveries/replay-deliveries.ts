import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { webhookId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { ClaimFirst } from '@mp/service-kit/claim-first';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { WebhooksStore } from '../definitions/webhooks-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import { deliveryRetentionDays } from './delivery.ts';
import { requireActive } from './replay-delivery.ts';

const batch = 1_000;
const maxReplayed = 50_000;
const dayMs = 24 * 60 * 60 * 1_000;

const Replay = z
  .object({
    webhook_id: webhookId,
    replayed: z.number().int().describe('Number of deliveries that were queued again.'),
    has_more: z
      .boolean()
      .describe(`Whether the range has more than ${maxReplayed.toLocaleString('en')} deliveries; repeat the request with \`next_from\`.`),
    next_from: renamedFrom(
      'next_since',
      z.iso.datetime().nullable().describe('`from` of the next request; null when the range is complete.'),
    ),
  })
  .meta({ id: 'WebhookReplay' });

type Deps = { webhooks: WebhooksStore; deliveries: DeliveriesStore; claimFirst: ClaimFirst; clock: Clock; wake: () => void };

export function replayDeliveries(app: Server, { webhooks, deliveries, claimFirst, clock, wake }: Deps) {
  app.post(
    '/v2/webhooks/:id/replay',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'replayWebhookDeliveries',
        tags: ['webhooks'],
        summary: 'Replay the deliveries of a time range',
        description:
          'Queues the deliveries created in the range again, oldest first, each with the same `webhook-id` and payload. ' +
          'Use it after a webhook was disabled or its receiver lost events. Deliveries are kept for 30 days.',
        params: z.object({ id: webhookId }),
        body: z.strictObject({
          from: renamedFrom('since', Moment.describe('Created at or after this time, at most 30 days ago.')),
          to: renamedFrom('until', Moment.optional().describe('Created at or before this time. Default: now.')),
          status: z.enum(['failed', 'delivered']).default('failed').describe('Which deliveries to replay.'),
        }),
        response: { 202: success(Replay) },
      },
    },
    (request, reply) =>
      claimFirst(request, reply, async () => {
        const { accountId } = request.principal;
        const now = clock();
        const { status } = request.body;
        const since = new Date(request.body.from);
        const until = request.body.to === undefined ? now : new Date(request.body.to);
        if (now.getTime() - since.getTime() > deliveryRetentionDays * dayMs)
          throw invalid('/from', 'out_of_range', `from must be in the last ${deliveryRetentionDays} days; older deliveries are deleted.`);
        if (since > until) throw invalid('/to', 'out_of_range', 'to must not be before from.');
        const webhook = await webhooks.get(accountId, request.params.id);
        requireActive(webhook);
        let replayed = 0;
        let after: { at: Date; id: string } | null = null;
        do {
          const done = await deliveries.replayBatch({ accountId, webhookId: webhook.id, status, since, until, after }, batch, now);
          replayed += done.count;
          after = done.next;
        } while (after !== null && replayed < maxReplayed);
        wake();
        const next_from = after?.at.toISOString() ?? null;
        const data = { webhook_id: webhook.id, replayed, has_more: after !== null, next_from };
        return { status: 202, data, location: `/v2/webhooks/${webhook.id}/deliveries` };
      }),
  );
}
