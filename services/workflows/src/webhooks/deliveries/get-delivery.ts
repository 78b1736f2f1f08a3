import { success } from '@mp/contracts/envelope';
import { eventRefusal } from '@mp/contracts/webhooks/read-scopes';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { DeliveriesStore } from './deliveries-store.ts';
import { type Attempt, DeliveryDetails } from './delivery.ts';

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
        querystring: noQuery,
        response: { 200: success(DeliveryDetails) },
      },
    },
    async ({ principal, params }) => {
      const delivery = await deliveries.get(principal.accountId, params.id);
      const mayRead = eventRefusal(principal, delivery.type) === undefined;
      // What a receiver responds with may repeat what it was sent.
      const without = (attempt: Attempt) => ({ ...attempt, response: null });
      const data = mayRead
        ? delivery
        : {
            ...delivery,
            payload: null,
            attempts: delivery.attempts.map(without),
            last_attempt: delivery.last_attempt && without(delivery.last_attempt),
          };
      return { success: true as const, data };
    },
  );
}
