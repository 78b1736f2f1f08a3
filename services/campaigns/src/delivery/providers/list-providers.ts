import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Provider } from './provider.ts';
import type { ProvidersStore } from './providers-store.ts';

export function listProviders(app: Server, { providers }: { providers: ProvidersStore }) {
  app.get(
    '/v2/campaigns/providers',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listProviders',
        summary: 'List email providers, newest first',
        querystring: z.strictObject(listQuery),
        response: { 200: page(Provider) },
      },
    },
    async (request, reply) => {
      const found = await providers.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
