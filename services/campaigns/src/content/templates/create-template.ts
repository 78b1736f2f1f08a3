import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import type { CompileContent } from './compile-content.ts';
import { contentBodyLimit } from './content-fields.ts';
import type { FindContentWarnings } from './content-warnings.ts';
import { CreateTemplateBody, newTemplate, rendered, SavedTemplate } from './template.ts';
import type { TemplatesStore } from './templates-store.ts';

type Deps = { templates: TemplatesStore; compileContent: CompileContent; findContentWarnings: FindContentWarnings; transact: Transact };

export function createTemplate(app: Server, { templates, compileContent, findContentWarnings, transact }: Deps) {
  app.post(
    '/v2/campaigns/templates',
    {
      config: { scope: 'campaigns:write', bodyLimit: contentBodyLimit },
      schema: {
        operationId: 'createTemplate',
        summary: 'Create a template',
        description:
          'A template is the content of an email for campaigns and messages. It has `html`, `mjml` (compiled to `html`) or only `text`. ' +
          'All parts are Liquid templates over `contact`, `campaign.name`, `unsubscribe_url` and, in messages, `data`. ' +
          'Each error has its `line` and `column`. `mj-include` is not supported.',
        body: CreateTemplateBody,
        response: { 201: success(SavedTemplate) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const draft = newTemplate(request.body);
      return transact(
        request,
        reply,
        async (tx, { template, warnings }) => {
          await templates.insert(tx, accountId, template);
          return {
            status: 201,
            data: { ...template, warnings },
            location: `/v2/campaigns/templates/${template.id}`,
            etag: etagOf(template),
          };
        },
        {
          before: async () => {
            const { html } = await compileContent(accountId, { ...draft, subject: draft.subject ?? '' }, { data: true });
            const template = { ...draft, html };
            return { template, warnings: await findContentWarnings(accountId, [rendered(template)]) };
          },
        },
      );
    },
  );
}
