import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { LastUsed } from '../../credentials/last-used.ts';
import { OauthClient, oauthClientView } from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';

type Deps = { oauthClients: OauthClientsStore; cursors: Cursors; lastUsed: LastUsed };

export function listOauthClients(app: Server, { oauthClients, cursors, lastUsed }: Deps) {
  app.get(
    '/v2/settings/oauth-clients',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listOauthClients',
        summary: 'List the OAuth 2.0 clients, newest first',
        querystring: z.strictObject(listQuery),
        response: { 200: page(OauthClient) },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query;
      const { items, pagination } = await oauthClients.list(request.principal.accountId, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map((client) => oauthClientView(lastUsed.of(client))), pagination } };
    },
  );
}
