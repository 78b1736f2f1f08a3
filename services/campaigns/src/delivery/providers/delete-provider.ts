import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { ProvidersStore } from './providers-store.ts';

export function deleteProvider(app: Server, { providers, transact }: { providers: ProvidersStore; transact: Transact }) {
  app.delete(
    '/v2/campaigns/providers/:id',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'deleteProvider',
        summary: 'Remove an email provider',
        description: 'Its webhook URL stops working.',
        params: z.object({ id: z.string().describe('The ID of the provider.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        await providers.remove(tx, request.principal.accountId, request.params.id);
        return { status: 200, data: { id: request.params.id, deleted: true } };
      }),
  );
}
