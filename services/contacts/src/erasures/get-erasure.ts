import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { Erasure } from './erasure.ts';
import type { ErasuresStore } from './erasures-store.ts';

export function getErasure(app: Server, { erasures }: { erasures: ErasuresStore }) {
  app.get(
    '/v2/contacts/erasures/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getErasure',
        summary: 'Get the receipt of an erasure',
        params: z.object({ id: z.string() }),
        response: { 200: success(Erasure) },
      },
    },
    async (request) => ({ success: true as const, data: await erasures.get(request.principal.accountId, request.params.id) }),
  );
}
