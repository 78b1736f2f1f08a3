import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { IdentityProvider, identityProviderView } from './identity-provider.ts';
import type { IdentityProvidersStore } from './identity-providers-store.ts';

type Deps = { identityProviders: IdentityProvidersStore; publicUrl: string };

export function getIdentityProvider(app: Server, { identityProviders, publicUrl }: Deps) {
  app.get(
    '/v2/settings/identity-providers/:id',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getIdentityProvider',
        summary: 'Get an identity provider',
        params: z.object({ id: z.string() }),
        response: { 200: success(IdentityProvider) },
      },
    },
    async (request) => {
      const provider = await identityProviders.get(request.principal.accountId, request.params.id);
      return { success: true as const, data: identityProviderView(provider, publicUrl) };
    },
  );
}
