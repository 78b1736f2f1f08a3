import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, includeTotal, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { DeliveriesStore } from '../deliveries/deliveries-store.ts';
import { WebhookDetails } from './webhook.ts';
import type { WebhooksStore } from './webhooks-store.ts';

export function listWebhooks(app: Server, { webhooks, deliveries }: { webhooks: WebhooksStore; deliveries: DeliveriesStore }) {
  app.get(
    '/v2/webhooks',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhooks',
        tags: ['webhooks'],
        summary: 'List webhooks',
        querystring: z.strictObject({
          ...listQuery,
          include: includeTotal,
          sort: z.enum(['created_at', '-created_at']).default('-created_at'),
        }),
        response: { 200: page(WebhookDetails) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await webhooks.list(request.principal.accountId, request.query);
      addNextLink(request, reply, pagination);
      const details = await Promise.all(
        items.map(async (webhook) => ({ ...webhook, health: await deliveries.health(request.principal.accountId, webhook.id) })),
      );
      return { success: true as const, data: { items: details, pagination } };
    },
  );
}
