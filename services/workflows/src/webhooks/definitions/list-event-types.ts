import { Pagination, success } from '@mp/contracts/envelope';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { examplePayload } from '@mp/contracts/webhooks/webhook-event';
import type { Server } from '@mp/service-kit/create-server';
import { wholeList } from '@mp/service-kit/list';
import { z } from 'zod';
import { WebhookEventName } from './webhook.ts';

const EventType = z
  .object({
    type: WebhookEventName.describe('Name of the type.'),
    summary: z.string().describe('What happened.'),
    example: z.record(z.string(), z.unknown()).describe('An example of the payload.'),
  })
  .meta({ id: 'WebhookEventType' });

const WebhookEventTypes = z.object({ items: renamedFrom('event_types', z.array(EventType)), pagination: Pagination });

export function listEventTypes(app: Server) {
  const eventTypes = webhookEvents.map((event) => ({ type: event.type, summary: event.summary, example: { ...examplePayload(event) } }));
  app.get(
    '/v2/webhooks/event-types',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhookEventTypes',
        tags: ['webhooks'],
        summary: 'List the types of events',
        description: 'The `webhooks` section of the OpenAPI document contains the schema of each type.',
        response: { 200: success(WebhookEventTypes) },
      },
    },
    async () => ({ success: true as const, data: wholeList(eventTypes) }),
  );
}
