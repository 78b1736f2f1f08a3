import { success } from '@mp/contracts/envelope';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { examplePayloadFor } from '../definitions/example-payload.ts';
import { subscribes, WebhookEventName } from '../definitions/webhook.ts';
import type { StreamsStore } from './streams-store.ts';

const Triggered = z
  .object({
    event_id: z.string().describe('The `id` of the payload.'),
    type: WebhookEventName,
    streams: z.number().int().describe('Number of open streams that receive it.'),
  })
  .meta({ id: 'TriggeredWebhookEvent' });

export function triggerEvent(app: Server, { streams, transact, clock }: { streams: StreamsStore; transact: Transact; clock: Clock }) {
  app.post(
    '/v2/webhooks/trigger',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'triggerWebhookEvent',
        tags: ['webhooks'],
        summary: 'Send a test event to the open streams',
        description:
          'Sends an example of the chosen type, marked with `"test": true`, to the open streams of the account that subscribe to it. ' +
          'Webhooks do not receive it; use POST /v2/webhooks/{id}/test for one.',
        body: z.strictObject({ type: WebhookEventName.default('contact.created').describe('Type of the event.') }),
        response: { 200: success(Triggered) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const { type } = request.body;
        const payload = examplePayloadFor(type, accountId, clock());
        const open = (await streams.open([accountId], tx)).filter((stream) => subscribes(stream, type));
        const recorded = open.map(({ id }) => ({ streamId: id, payload, contactIds: [] }));
        await streams.add(tx, recorded);
        return { status: 200, data: { event_id: payload.id, type, streams: open.length } };
      }),
  );
}
