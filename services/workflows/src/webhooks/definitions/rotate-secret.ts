import { success } from '@mp/contracts/envelope';
import { webhookId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { DeliveriesStore } from '../deliveries/deliveries-store.ts';
import { newSecret } from './signing-secrets.ts';
import { CreatedWebhook, requireAuditReader } from './webhook.ts';
import type { WebhooksStore } from './webhooks-store.ts';

const maxGraceSeconds = 7 * 24 * 60 * 60;

type Deps = { webhooks: WebhooksStore; deliveries: DeliveriesStore; transact: Transact; clock: Clock };

export function rotateWebhookSecret(app: Server, { webhooks, deliveries, transact, clock }: Deps) {
  app.post(
    '/v2/webhooks/:id/rotate-secret',
    {
      config: { scope: 'webhooks:write', ifMatch: true },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags: ['webhooks'],
        summary: 'Rotate the secret of a webhook',
        description:
          'Returns a new secret. Until the grace period ends, deliveries are signed with both secrets, so that your receiver can switch.',
        params: z.object({ id: webhookId }),
        body: z.strictObject({
          grace_seconds: z
            .number()
            .int()
            .min(0)
            .max(maxGraceSeconds)
            .default(86_400)
            .describe('How long the previous secret is also used. Default: one day.'),
        }),
        response: { 200: success(CreatedWebhook) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const { accountId } = request.principal;
          const now = clock();
          const before = await webhooks.get(accountId, request.params.id, tx);
          requireAuditReader(request.principal, before);
          requireMatch(request, before);
          const previousUntil = new Date(now.getTime() + request.body.grace_seconds * 1_000);
          const webhook = { ...before, revision: before.revision + 1, updated_at: now.toISOString() };
          const secret = newSecret();
          await webhooks.rotate(tx, accountId, { webhook, secret, previousUntil });
          const previous_secret_expires_at = request.body.grace_seconds === 0 ? null : previousUntil.toISOString();
          const data = {
            ...webhook,
            previous_secret_expires_at,
            health: await deliveries.health(request.principal.accountId, webhook.id),
            secret,
          };
          return { status: 200, data, etag: etagOf(webhook) };
        },
        { secret: true },
      ),
  );
}
