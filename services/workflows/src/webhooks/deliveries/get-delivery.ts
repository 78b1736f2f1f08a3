import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { DeliveriesStore } from './deliveries-store.ts';
import { DeliveryDetails } from './delivery.ts';
import { redactDelivery } from './redact-delivery.ts';

export function getDelivery(app: Server, { deliveries }: { deliveries: DeliveriesStore }) {
  app.get(
    '/v2/webhooks/deliveries/:id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhookDelivery',
        tags: ['webhooks'],
        summary: 'Get a delivery with its payload and attempts',
        params: z.object({ id: z.string() }),
        response: { 200: success(DeliveryDetails) },
      },
    },
    async ({ principal, params }) => ({
      success: true as const,
      data: redactDelivery(principal, await deliveries.get(principal.accountId, params.id)),
    }),
  );
}
