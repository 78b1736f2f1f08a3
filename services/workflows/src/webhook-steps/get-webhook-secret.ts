import { success } from '@mp/contracts/envelope';
import type { Keyring } from '@mp/contracts/keyring';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { webhookSecret } from './send-webhook.ts';

export function getWebhookSecret(app: Server, { keys }: { keys: Keyring }) {
  app.get(
    '/v2/workflows/webhook-secret',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getWebhookSecret',
        summary: 'Get the signing secret of workflow webhooks',
        description:
          'Verifies the `webhook-signature` header with any Standard Webhooks library. All workflows of the account share one secret.',
        response: { 200: success(z.object({ secret: z.string().describe('`whsec_` followed by Base64.') })) },
      },
    },
    async (request) => ({ success: true as const, data: { secret: webhookSecret(keys, request.principal.accountId) } }),
  );
}
