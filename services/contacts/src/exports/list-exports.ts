import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Export } from './export.ts';
import type { ExportsStore } from './exports-store.ts';

export function listExports(app: Server, { exports }: { exports: ExportsStore }) {
  app.get(
    '/v2/contacts/exports',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listExports',
        summary: 'List exports',
        description: 'Returns exports newest first, until their files expire.',
        querystring: z.strictObject(listQuery),
        response: { 200: page(Export) },
      },
    },
    async (request, reply) => {
      const found = await exports.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
