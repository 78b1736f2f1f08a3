import { Deleted, success } from '@mp/contracts/envelope';
import { webhookId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { WebhooksStore } from './webhooks-store.ts';

export function deleteWebhook(app: Server, { webhooks, transact }: { webhooks: WebhooksStore; transact: Transact }) {
  app.delete(
    '/v2/webhooks/:id',
    {
      config: { scope: 'webhooks:write', ifMatch: true },
      schema: {
        operationId: 'deleteWebhook',
        tags: ['webhooks'],
        summary: 'Delete a webhook',
        description: 'Pending deliveries are not sent.',
        params: z.object({ id: webhookId }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const webhook = await webhooks.get(accountId, request.params.id, tx);
        requireMatch(request, webhook);
        await webhooks.remove(tx, accountId, webhook.id);
        return { status: 200, data: { id: webhook.id, deleted: true } };
      }),
  );
}
