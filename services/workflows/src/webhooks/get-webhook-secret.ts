import { success } from '@mp/contracts/envelope';
import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { webhookSecret } from './send-webhook.ts';

export function getWebhookSecret(app: Server, { keys }: { keys: Keyring }) {
  app.get(
    '/v2/workflows/webhook-secret',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getWebhookSecret',
        summary: 'Read the secret of the webhooks of workflow steps',
        description:
          'For checking `webhook-signature` with any Standard Webhooks library. It is the same for all workflows of the account.',
        querystring: noQuery,
        response: { 200: success(z.object({ secret: z.string().describe('`whsec_` and base64') })) },
      },
    },
    async (request) => ({ success: true as const, data: { secret: webhookSecret(keys, request.principal.accountId) } }),
  );
}
