import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { LastUsed } from '../../credentials/last-used.ts';
import { OauthClient, oauthClientView } from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';

type Deps = { oauthClients: OauthClientsStore; lastUsed: LastUsed };

export function getOauthClient(app: Server, { oauthClients, lastUsed }: Deps) {
  app.get(
    '/v2/settings/oauth-clients/:id',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getOauthClient',
        summary: 'Get an OAuth 2.0 client',
        params: z.object({ id: z.string() }),
        response: { 200: success(OauthClient) },
      },
    },
    async (request) => {
      const client = await oauthClients.find(request.principal.accountId, request.params.id);
      if (!client) throw notFound();
      return { success: true as const, data: oauthClientView(lastUsed.of(client)) };
    },
  );
}
