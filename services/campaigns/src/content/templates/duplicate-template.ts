import { success } from '@mp/contracts/envelope';
import { templateId } from '@mp/contracts/ids';
import { Name } from '@mp/contracts/text';
import { newId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { Template } from './template.ts';
import type { TemplatesStore } from './templates-store.ts';

type Deps = { templates: TemplatesStore; transact: Transact };

export function duplicateTemplate(app: Server, { templates, transact }: Deps) {
  app.post(
    '/v2/campaigns/templates/:id/duplicate',
    {
      config: { scope: 'campaigns:write', ifMatch: true },
      schema: {
        operationId: 'duplicateTemplate',
        summary: 'Duplicate a template',
        description: 'Creates a template with the same content, at version 1.',
        params: z.object({ id: templateId.describe('The ID of the template.') }),
        body: z.strictObject({ name: Name(200).describe('The name of the copy, unique in the account.') }),
        response: { 201: success(Template) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const at = new Date().toISOString();
        const original = await templates.get(accountId, request.params.id, tx);
        requireMatch(request, original);
        const fresh = { id: newId('template'), name: request.body.name, version: 1, revision: 1, created_at: at, updated_at: at };
        const copy = { ...original, ...fresh };
        await templates.insert(tx, accountId, copy);
        return { status: 201, data: copy, location: `/v2/campaigns/templates/${copy.id}`, etag: etagOf(copy) };
      }),
  );
}
