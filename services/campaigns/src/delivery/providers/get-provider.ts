import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { Provider } from './provider.ts';
import type { ProvidersStore } from './providers-store.ts';

export function getProvider(app: Server, { providers }: { providers: ProvidersStore }) {
  app.get(
    '/v2/campaigns/providers/:id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getProvider',
        summary: 'Get an email provider',
        params: z.object({ id: z.string().describe('The ID of the provider.') }),
        response: { 200: success(Provider) },
      },
    },
    async (request) => ({ success: true as const, data: await providers.get(request.principal.accountId, request.params.id) }),
  );
}
