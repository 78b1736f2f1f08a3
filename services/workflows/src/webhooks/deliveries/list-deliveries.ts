import { page } from '@mp/contracts/envelope';
import { webhookId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink } from '@mp/service-kit/list';
import { z } from 'zod';
import type { WebhooksStore } from '../definitions/webhooks-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import { Delivery } from './delivery.ts';
import { ListDeliveriesQuery } from './list-deliveries-query.ts';
import { redactListedDelivery } from './redact-delivery.ts';

export function listDeliveries(app: Server, { webhooks, deliveries }: { webhooks: WebhooksStore; deliveries: DeliveriesStore }) {
  app.get(
    '/v2/webhooks/:id/deliveries',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhookDeliveries',
        tags: ['webhooks'],
        summary: 'List the deliveries of a webhook',
        description: 'Deliveries are kept for 30 days. **Filters.** `status` or `type`, and a range of `created_at`.',
        params: z.object({ id: webhookId }),
        querystring: ListDeliveriesQuery,
        response: { 200: page(Delivery) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const webhook = await webhooks.get(accountId, request.params.id);
      const found = await deliveries.list(accountId, webhook.id, request.query);
      addNextLink(request, reply, found.pagination);
      const items = found.items.map((delivery) => redactListedDelivery(request.principal, delivery));
      return { success: true as const, data: { ...found, items } };
    },
  );
}
