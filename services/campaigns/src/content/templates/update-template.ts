import { success } from '@mp/contracts/envelope';
import { templateId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { CompileContent } from './compile-content.ts';
import { contentBodyLimit } from './content-fields.ts';
import type { FindContentWarnings } from './content-warnings.ts';
import { contentOf, mergeTemplate, rendered, revised, SavedTemplate, type Template, UpdateTemplateBody } from './template.ts';
import type { TemplatesStore } from './templates-store.ts';

type Deps = { templates: TemplatesStore; compileContent: CompileContent; findContentWarnings: FindContentWarnings; transact: Transact };

export function updateTemplate(app: Server, { templates, compileContent, findContentWarnings, transact }: Deps) {
  app.put(
    '/v2/campaigns/templates/:id',
    {
      config: { scope: 'campaigns:write', bodyLimit: contentBodyLimit, ifMatch: true },
      schema: {
        operationId: 'updateTemplate',
        summary: 'Update a template',
        description:
          'Omitted fields keep their value; `null` clears a field. A change of the content is a new version. Campaigns that were sent or ' +
          'scheduled keep the version they have. Send `If-Match` with the `ETag` to reject a stale update (optional).',
        params: z.object({ id: templateId.describe('The ID of the template.') }),
        body: UpdateTemplateBody,
        response: { 200: success(SavedTemplate) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      const compiled = async (before: Template): Promise<{ from: Template; template: Template }> => {
        const merged = mergeTemplate(before, request.body);
        if (JSON.stringify(contentOf(merged)) === JSON.stringify(contentOf(before))) return { from: before, template: merged };
        const { html } = await compileContent(accountId, { ...merged, subject: merged.subject ?? '' }, { before, data: true });
        return { from: before, template: { ...merged, html } };
      };
      return transact(
        request,
        reply,
        async (tx, { checked, warnings }) => {
          const before = await templates.get(accountId, id, tx);
          requireMatch(request, before);
          // Another update may have been written after the check.
          const { template } = checked.from.revision === before.revision ? checked : await compiled(before);
          const after = revised(before, template);
          if (after !== before) await templates.replace(tx, accountId, before, after);
          return { status: 200, data: { ...after, warnings }, etag: etagOf(after) };
        },
        {
          before: async () => {
            const checked = await compiled(await templates.get(accountId, id));
            return { checked, warnings: await findContentWarnings(accountId, [rendered(checked.template)]) };
          },
        },
      );
    },
  );
}
