import { success } from '@mp/contracts/envelope';
import { webhookId } from '@mp/contracts/ids';
import type { ClaimFirst } from '@mp/service-kit/claim-first';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { requireNoMaintenance } from '@mp/service-kit/maintenance';
import { z } from 'zod';
import { examplePayloadFor } from '../definitions/example-payload.ts';
import { WebhookEventName } from '../definitions/webhook.ts';
import type { WebhooksStore } from '../definitions/webhooks-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import { DeliveryDetails } from './delivery.ts';
import type { SendDelivery } from './send-delivery.ts';

/** Longer than the attempt takes. */
const leaseMs = 60_000;

type Deps = {
  webhooks: WebhooksStore;
  deliveries: DeliveriesStore;
  sendDelivery: SendDelivery;
  claimFirst: ClaimFirst;
  maintenance: boolean;
  clock: Clock;
};

export function testWebhook(app: Server, { webhooks, deliveries, sendDelivery, claimFirst, maintenance, clock }: Deps) {
  app.post(
    '/v2/webhooks/:id/test',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'testWebhook',
        tags: ['webhooks'],
        summary: 'Send a test event to a webhook',
        description:
          'Sends an example of the chosen type once, signed and marked with `"test": true`, and returns how the receiver responded. ' +
          'Works for disabled webhooks too, and for types that the webhook does not subscribe to.',
        params: z.object({ id: webhookId }),
        body: z.strictObject({
          type: WebhookEventName.default('contact.created').describe('Type of the event.'),
        }),
        response: { 200: success(DeliveryDetails) },
      },
    },
    (request, reply) =>
      claimFirst(request, reply, async () => {
        requireNoMaintenance(maintenance);
        const { accountId } = request.principal;
        const now = clock();
        const target = await webhooks.target(accountId, request.params.id, now);
        const payload = examplePayloadFor(request.body.type, accountId, now);
        const delivery = { webhookId: target.id, payload, contactIds: [], isBatch: target.batch !== null };
        const held = await deliveries.addHeld(delivery, now, new Date(now.getTime() + leaseMs));
        const { attempt, ok } = await sendDelivery(target, [held], new AbortController().signal);
        await deliveries.settle([{ held, attempt, status: ok ? 'delivered' : 'failed', nextAt: null }]);
        return { status: 200, data: await deliveries.get(accountId, held.id) };
      }),
  );
}
