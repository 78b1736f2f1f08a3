import { page } from '@mp/contracts/envelope';
import { templateId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { TemplateVersion } from './template.ts';
import type { TemplatesStore } from './templates-store.ts';

export function listTemplateVersions(app: Server, { templates }: { templates: TemplatesStore }) {
  app.get(
    '/v2/campaigns/templates/:id/versions',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listTemplateVersions',
        summary: 'List the versions of a template, newest first',
        description: 'To restore a version, send its content with `PUT /v2/campaigns/templates/:id`.',
        params: z.object({ id: templateId.describe('The ID of the template.') }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(TemplateVersion) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { id } = await templates.get(accountId, request.params.id);
      const found = await templates.listVersions(accountId, id, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
