import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { ApiKey, apiKeyView } from './api-key.ts';
import type { ApiKeysStore } from './api-keys-store.ts';

export function listApiKeys(app: Server, { apiKeys, cursors }: { apiKeys: ApiKeysStore; cursors: Cursors }) {
  app.get(
    '/v2/settings/api-keys',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listApiKeys',
        summary: 'List the API keys, newest first',
        querystring: z.object(listQuery).strict(),
        response: { 200: page(ApiKey) },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query;
      const { items, pagination } = await apiKeys.list(request.principal.accountId, { limit, cursor }, cursors);
      return { success: true as const, data: { items: items.map((key) => apiKeyView(key)), pagination } };
    },
  );
}
