import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { LastUsed } from '../../credentials/last-used.ts';
import { ApiKey, apiKeyView } from './api-key.ts';
import type { ApiKeysStore } from './api-keys-store.ts';

type Deps = { apiKeys: ApiKeysStore; lastUsed: LastUsed };

export function getApiKey(app: Server, { apiKeys, lastUsed }: Deps) {
  app.get(
    '/v2/settings/api-keys/:id',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getApiKey',
        summary: 'Get an API key',
        params: z.object({ id: z.string() }),
        response: { 200: success(ApiKey) },
      },
    },
    async (request) => {
      const key = await apiKeys.find(request.principal.accountId, request.params.id);
      if (!key) throw notFound();
      return { success: true as const, data: apiKeyView(lastUsed.of(key)) };
    },
  );
}
