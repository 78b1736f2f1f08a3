import { success } from '@mp/contracts/envelope';
import { webhookId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import type { DeliveriesStore } from '../deliveries/deliveries-store.ts';
import { WebhookDetails } from './webhook.ts';
import type { WebhooksStore } from './webhooks-store.ts';

export function getWebhook(app: Server, { webhooks, deliveries }: { webhooks: WebhooksStore; deliveries: DeliveriesStore }) {
  app.get(
    '/v2/webhooks/:id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhook',
        tags: ['webhooks'],
        summary: 'Get a webhook',
        description: '`health` describes its last attempts.',
        params: z.object({ id: webhookId }),
        response: { 200: success(WebhookDetails) },
      },
    },
    async (request, reply) => {
      const webhook = await webhooks.get(request.principal.accountId, request.params.id);
      const data = { ...webhook, health: await deliveries.health(request.principal.accountId, webhook.id) };
      return reply.header('etag', etagOf(webhook)).send({ success: true, data });
    },
  );
}
