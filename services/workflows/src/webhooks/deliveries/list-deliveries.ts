import { page } from '@mp/contracts/envelope';
import { Moment } from '@mp/contracts/moment';
import type { Server } from '@mp/service-kit/create-server';
import { linkNext, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { WebhooksStore } from '../endpoints/webhooks-store.ts';
import type { DeliveriesStore } from './deliveries-store.ts';
import { Delivery, DeliveryStatus } from './delivery.ts';

export const ListDeliveriesQuery = z
  .strictObject({
    ...listQuery,
    sort: z.enum(['created_at', '-created_at']).default('-created_at'),
    status: DeliveryStatus.optional(),
    type: z.string().max(100).optional().describe('Type of the event, such as `contact.created`. Cannot be combined with `status`.'),
    'created_at[gte]': Moment.optional().describe('Created at or after this time.'),
    'created_at[lt]': Moment.optional().describe('Created before this time.'),
  })
  .refine(({ status, type }) => status === undefined || type === undefined, {
    path: ['type'],
    message: 'type cannot be combined with status; use one of them.',
    params: { code: 'unsupported_combination' },
  });
export type ListDeliveriesQuery = z.output<typeof ListDeliveriesQuery>;

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
        params: z.object({ id: z.string() }),
        querystring: ListDeliveriesQuery,
        response: { 200: page(Delivery) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const webhook = await webhooks.get(accountId, request.params.id);
      const found = await deliveries.list(accountId, webhook.id, request.query);
      linkNext(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
