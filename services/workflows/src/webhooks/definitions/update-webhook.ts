import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import { webhookId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { DeliveriesStore } from '../deliveries/deliveries-store.ts';
import { checkFilter } from './check-filter.ts';
import { checkUrl } from './check-url.ts';
import { changeWebhook, requireAuditReader, UpdatedWebhook, UpdateWebhookBody } from './webhook.ts';
import type { WebhooksStore } from './webhooks-store.ts';

type Deps = { webhooks: WebhooksStore; deliveries: DeliveriesStore; transact: Transact; allowPrivate: boolean; clock: Clock };

export function updateWebhook(app: Server, { webhooks, deliveries, transact, allowPrivate, clock }: Deps) {
  app.put(
    '/v2/webhooks/:id',
    {
      config: { scope: 'webhooks:write', ifMatch: true },
      schema: {
        operationId: 'updateWebhook',
        tags: ['webhooks'],
        summary: 'Update a webhook',
        description:
          'Omitted fields keep their value; `events`, `filter` and `headers` are replaced as a whole. A change of `url`, `headers`, `batch` or ' +
          '`status` also applies to pending deliveries. When the request enables a disabled webhook, `missed` says which deliveries failed: to ' +
          'send them, use POST /v2/webhooks/{id}/replay with its `from`.',
        params: z.object({ id: webhookId }),
        body: UpdateWebhookBody,
        response: { 200: success(UpdatedWebhook) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { body } = request;
      if (body.url !== undefined) checkUrl(body.url, { allowPrivate });
      return transact(request, reply, async (tx) => {
        const before = await webhooks.get(accountId, request.params.id, tx);
        requireMatch(request, before);
        const now = clock();
        const webhook = changeWebhook(before, body, now);
        requireAuditReader(request.principal, webhook);
        if (!isDeepStrictEqual(webhook.filter, before.filter) || !isDeepStrictEqual(webhook.events, before.events)) checkFilter(webhook);
        if (webhook !== before) await webhooks.replace(tx, accountId, webhook, body.headers);
        const isEnabled = before.status === 'disabled' && webhook.status === 'active';
        const missed = isEnabled ? await deliveries.missed(accountId, webhook.id, now) : null;
        return {
          status: 200,
          data: { ...webhook, health: await deliveries.health(request.principal.accountId, webhook.id), missed },
          etag: etagOf(webhook),
        };
      });
    },
  );
}
