import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { Suppression } from './suppression.ts';
import type { SuppressionsStore } from './suppressions-store.ts';

export function getSuppression(app: Server, { suppressions }: { suppressions: SuppressionsStore }) {
  app.get(
    '/v2/contacts/suppressions/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getSuppression',
        summary: 'Get a suppression',
        params: z.object({ id: z.string() }),
        response: { 200: success(Suppression) },
      },
    },
    async (request) => ({ success: true as const, data: await suppressions.get(request.principal.accountId, request.params.id) }),
  );
}
