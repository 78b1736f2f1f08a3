import { success } from '@mp/contracts/envelope';
import { templateId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { Template } from './template.ts';
import type { TemplatesStore } from './templates-store.ts';

export function getTemplate(app: Server, { templates }: { templates: TemplatesStore }) {
  app.get(
    '/v2/campaigns/templates/:id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getTemplate',
        summary: 'Get a template',
        params: z.object({ id: templateId.describe('The ID of the template.') }),
        response: { 200: success(Template) },
      },
    },
    async (request, reply) => {
      const template = await templates.get(request.principal.accountId, request.params.id);
      return reply.header('etag', etagOf(template)).send({ success: true, data: template });
    },
  );
}
