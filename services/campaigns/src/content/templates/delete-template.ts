import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { templateId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { CampaignsStore } from '../../campaigns/campaigns-store.ts';
import type { TemplatesStore } from './templates-store.ts';

type Deps = { templates: TemplatesStore; campaigns: CampaignsStore; transact: Transact };

export function deleteTemplate(app: Server, { templates, campaigns, transact }: Deps) {
  app.delete(
    '/v2/campaigns/templates/:id',
    {
      config: { scope: 'campaigns:write', ifMatch: true },
      schema: {
        operationId: 'deleteTemplate',
        summary: 'Delete a template',
        description: 'Fails with 409 while a draft uses it. Campaigns and messages that were sent with it keep their content.',
        params: z.object({ id: templateId.describe('The ID of the template.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const template = await templates.get(accountId, request.params.id, tx);
        requireMatch(request, template);
        const draft = await campaigns.draftWith(tx, accountId, template.id);
        if (draft !== undefined)
          throw new ApiError('CONFLICT', `The draft ${draft} uses this template; change or delete the draft first.`, {
            details: [{ path: '', code: 'in_use', message: 'A draft uses this template.', existing_id: draft }],
          });
        await templates.remove(tx, accountId, template.id);
        return { status: 200, data: { id: template.id, deleted: true } };
      }),
  );
}
