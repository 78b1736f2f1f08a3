import { success } from '@mp/contracts/envelope';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import type { DeliveriesStore } from '../deliveries/deliveries-store.ts';
import { checkFilter } from './check-filter.ts';
import { checkUrl } from './check-url.ts';
import { newSecret } from './signing-secrets.ts';
import { CreatedWebhook, CreateWebhookBody, newWebhook, requireAuditReader } from './webhook.ts';
import type { WebhooksStore } from './webhooks-store.ts';

type Deps = { webhooks: WebhooksStore; deliveries: DeliveriesStore; transact: Transact; allowPrivate: boolean; clock: Clock };

export function createWebhook(app: Server, { webhooks, deliveries, transact, allowPrivate, clock }: Deps) {
  app.post(
    '/v2/webhooks',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'createWebhook',
        tags: ['webhooks'],
        summary: 'Create a webhook',
        description:
          'Each subscribed event is sent to `url` as a signed POST request, as Standard Webhooks defines it: verify the headers `webhook-id`, ' +
          '`webhook-timestamp` and `webhook-signature` with the secret, which is returned only once. Respond with 2xx within 15 seconds. ' +
          'Any other response is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h; 410 disables the webhook. An event can arrive ' +
          'more than once, with the same `webhook-id`, and events can arrive in any order. Redirects are not followed. ' +
          'A plan allows 3 (Starter), 10 (Growth), 25 (Professional) or 100 (Enterprise) webhooks.',
        body: CreateWebhookBody,
        response: { 201: success(CreatedWebhook) },
      },
    },
    (request, reply) => {
      const { accountId, plan = 'starter' } = request.principal;
      const { body } = request;
      checkUrl(body.url, { allowPrivate });
      checkFilter(body);
      requireAuditReader(request.principal, body);
      return transact(
        request,
        reply,
        async (tx) => {
          const webhook = newWebhook(body, clock());
          const secret = newSecret();
          await webhooks.insert(tx, accountId, { plan, webhook, secret, headers: body.headers });
          const data = { ...webhook, health: await deliveries.health(request.principal.accountId, webhook.id), secret };
          return { status: 201, data, location: `/v2/webhooks/${webhook.id}`, etag: etagOf(webhook) };
        },
        { secret: true },
      );
    },
  );
}
