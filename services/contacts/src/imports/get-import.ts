import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Import } from './import.ts';
import type { ImportsStore } from './imports-store.ts';

export function getImport(app: Server, { imports }: { imports: ImportsStore }) {
  app.get(
    '/v2/contacts/imports/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getImport',
        summary: 'Get an import',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(Import) },
      },
    },
    async (request) => ({ success: true as const, data: await imports.get(request.principal.accountId, request.params.id) }),
  );
}
