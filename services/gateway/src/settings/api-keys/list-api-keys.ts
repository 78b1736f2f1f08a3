import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { LastUsed } from '../../credentials/last-used.ts';
import { ApiKey, apiKeyView } from './api-key.ts';
import type { ApiKeysStore } from './api-keys-store.ts';

type Deps = { apiKeys: ApiKeysStore; cursors: Cursors; lastUsed: LastUsed };

export function listApiKeys(app: Server, { apiKeys, cursors, lastUsed }: Deps) {
  app.get(
    '/v2/settings/api-keys',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listApiKeys',
        summary: 'List the API keys, newest first',
        querystring: z.strictObject(listQuery),
        response: { 200: page(ApiKey) },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query;
      const { items, pagination } = await apiKeys.list(request.principal.accountId, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map((key) => apiKeyView(lastUsed.of(key))), pagination } };
    },
  );
}
