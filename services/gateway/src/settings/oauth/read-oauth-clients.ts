import { page, success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { linkNext, listQuery, noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { SettingsParts } from '../parts.ts';
import { OauthClient, oauthClientView } from './oauth-client.ts';

export function listOauthClients(app: Server, { oauthClients, cursors, lastUsed }: SettingsParts) {
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
      linkNext(request, reply, pagination);
      return { success: true as const, data: { items: items.map((client) => oauthClientView(lastUsed.of(client))), pagination } };
    },
  );
}

export function getOauthClient(app: Server, { oauthClients, lastUsed }: SettingsParts) {
  app.get(
    '/v2/settings/oauth-clients/:id',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getOauthClient',
        summary: 'Get an OAuth 2.0 client',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
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
