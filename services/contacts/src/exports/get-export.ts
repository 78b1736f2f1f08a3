import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { Export } from './export.ts';
import type { ExportsStore } from './exports-store.ts';

export function getExport(app: Server, { exports }: { exports: ExportsStore }) {
  app.get(
    '/v2/contacts/exports/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getExport',
        summary: 'Get an export',
        params: z.object({ id: z.string() }),
        response: { 200: success(Export) },
      },
    },
    async (request) => ({ success: true as const, data: await exports.get(request.principal.accountId, request.params.id) }),
  );
}
