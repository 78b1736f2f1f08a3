import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, includeTotal, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { TemplateSummary } from './template.ts';
import type { TemplatesStore } from './templates-store.ts';

const Query = z.strictObject({
  ...listQuery,
  include: includeTotal,
  sort: z
    .enum(['created_at', '-created_at', 'updated_at', '-updated_at', 'name', '-name'])
    .default('-created_at')
    .describe('The order; `-` means descending.'),
});

export function listTemplates(app: Server, { templates }: { templates: TemplatesStore }) {
  app.get(
    '/v2/campaigns/templates',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listTemplates',
        summary: 'List templates',
        description: 'Without their content; `GET /v2/campaigns/templates/:id` returns it.',
        querystring: Query,
        response: { 200: page(TemplateSummary) },
      },
    },
    async (request, reply) => {
      const found = await templates.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
