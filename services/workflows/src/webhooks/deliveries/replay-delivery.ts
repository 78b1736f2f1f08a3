import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Webhook } from '../definitions/webhook.ts';
import type { WebhooksStore } from '../definitions/webhooks-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import { DeliveryDetails } from './delivery.ts';
import { redactDelivery } from './redact-delivery.ts';

type Deps = { webhooks: WebhooksStore; deliveries: DeliveriesStore; transact: Transact; clock: Clock; wake: () => void };

export function replayDelivery(app: Server, { webhooks, deliveries, transact, clock, wake }: Deps) {
  app.post(
    '/v2/webhooks/deliveries/:id/replay',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'replayWebhookDelivery',
        tags: ['webhooks'],
        summary: 'Replay a delivery',
        description:
          'Sends the event again now, with the same `webhook-id` and payload, and restarts its attempts. An in-flight delivery is not sent twice.',
        params: z.object({ id: z.string() }),
        response: { 202: success(DeliveryDetails) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const { accountId } = request.principal;
          const { webhook_id, id } = await deliveries.get(accountId, request.params.id, tx);
          requireActive(await webhooks.get(accountId, webhook_id, tx));
          await deliveries.replay(tx, accountId, id, clock());
          tx.afterCommit(wake);
          return {
            status: 202,
            data: redactDelivery(request.principal, await deliveries.get(accountId, id, tx)),
            location: `/v2/webhooks/deliveries/${id}`,
          };
        },
        // Another credential of the account may not read what this one does.
        { secret: true },
      ),
  );
}

export function requireActive({ status }: Pick<Webhook, 'status'>) {
  if (status !== 'active') throw new ApiError('INVALID_STATE', 'The webhook is disabled; set its status to active first.');
}
