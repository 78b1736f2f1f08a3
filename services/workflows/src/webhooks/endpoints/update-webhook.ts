import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Clock } from '../../runs/clock.ts';
import type { DeliveriesStore } from '../deliveries/deliveries-store.ts';
import { checkUrl } from './check-url.ts';
import { changeWebhook, UpdateWebhookBody, WebhookDetails } from './webhook.ts';
import type { WebhooksStore } from './webhooks-store.ts';

type Deps = { webhooks: WebhooksStore; deliveries: DeliveriesStore; transact: Transact; allowPrivate: boolean; clock: Clock };

export function updateWebhook(app: Server, { webhooks, deliveries, transact, allowPrivate, clock }: Deps) {
  app.put(
    '/v2/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'updateWebhook',
        tags: ['webhooks'],
        summary: 'Update a webhook',
        description:
          'Omitted fields keep their value; `events`, `filter` and `headers` are replaced as a whole. A change of `url`, `headers`, `batch` or ' +
          '`status` also applies to deliveries that wait. To send what a webhook missed while it was disabled, use POST /v2/webhooks/{id}/replay.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        body: UpdateWebhookBody,
        response: { 200: success(WebhookDetails) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { body } = request;
      if (body.url !== undefined) checkUrl(body.url, { allowPrivate });
      return transact(request, reply, async (tx) => {
        const before = await webhooks.get(accountId, request.params.id, tx);
        requireMatch(request, before);
        const webhook = changeWebhook(before, body, clock());
        if (webhook !== before) await webhooks.replace(tx, accountId, webhook, body.headers);
        return { status: 200, data: { ...webhook, health: await deliveries.health(webhook.id) }, etag: etagOf(webhook) };
      });
    },
  );
}
