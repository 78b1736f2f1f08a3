import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { IdentityProvider, identityProviderView } from './identity-provider.ts';
import type { IdentityProvidersStore } from './identity-providers-store.ts';

type Deps = { identityProviders: IdentityProvidersStore; cursors: Cursors; publicUrl: string };

export function listIdentityProviders(app: Server, { identityProviders, cursors, publicUrl }: Deps) {
  app.get(
    '/v2/settings/identity-providers',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listIdentityProviders',
        summary: 'List the identity providers, newest first',
        querystring: z.strictObject(listQuery),
        response: { 200: page(IdentityProvider) },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query;
      const { items, pagination } = await identityProviders.list(request.principal.accountId, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map((provider) => identityProviderView(provider, publicUrl)), pagination } };
    },
  );
}
