import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Import } from './import.ts';
import type { ImportsStore } from './imports-store.ts';

export function listImports(app: Server, { imports }: { imports: ImportsStore }) {
  app.get(
    '/v2/contacts/imports',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listImports',
        summary: 'List imports',
        description: 'Returns imports newest first. An import is kept for 30 days after it ends.',
        querystring: z.strictObject(listQuery),
        response: { 200: page(Import) },
      },
    },
    async (request, reply) => {
      const found = await imports.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
