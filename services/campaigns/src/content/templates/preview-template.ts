import { success } from '@mp/contracts/envelope';
import { templateId } from '@mp/contracts/ids';
import { Moment } from '@mp/contracts/moment';
import type { Server } from '@mp/service-kit/create-server';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';
import { z } from 'zod';
import type { FindMailable } from '../../audience/contactables/mailable-contacts.ts';
import type { FindContentWarnings } from './content-warnings.ts';
import { MessageData } from './message-data.ts';
import { contactOrSample, Preview, PreviewBody, previewScope } from './preview-fields.ts';
import type { TemplatesStore } from './templates-store.ts';

type Deps = {
  store: TemplatesStore;
  findMailable: FindMailable;
  templates: Pick<Templates, 'render'>;
  publicUrl: string;
  findContentWarnings: FindContentWarnings;
};

const Body = PreviewBody.safeExtend({
  data: MessageData.optional().describe('Sample values of `data`, for templates of messages.'),
  responses: MessageData.optional().describe('Sample values of `responses`, for templates of workflows.'),
  as_of: Moment.optional().describe('Renders the version that was current at this time instead of the current one.'),
}).meta(contactOrSample);

export function previewTemplate(app: Server, { store, findMailable, templates, publicUrl, findContentWarnings }: Deps) {
  app.post(
    '/v2/campaigns/templates/:id/preview',
    {
      config: { scope: 'campaigns:read', reads: true },
      schema: {
        operationId: 'previewTemplate',
        summary: 'Render a template for one contact',
        description: 'Renders it for a contact of the account, for sample fields, or with empty fields. Nothing is sent or saved.',
        params: z.object({ id: templateId.describe('The ID of the template.') }),
        body: Body,
        response: { 200: success(Preview) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      const { as_of, data = {}, responses = {} } = request.body;
      const template = as_of === undefined ? await store.get(accountId, id) : await store.getVersionAsOf(accountId, id, new Date(as_of));
      const { subject, preview_text, html, text } = template;
      const scope = {
        contact: await previewScope(findMailable, accountId, request.body),
        campaign: { name: '' },
        unsubscribe_url: `${publicUrl}/t/preview`,
        data,
        responses,
      };
      const message = { subject: subject ?? '', preview_text, html, text };
      const { problems, ...preview } = await templates.render({ accountId, templates: message, scope });
      const error = problemError(problems);
      if (error) throw error;
      const warnings = await findContentWarnings(accountId, [message]);
      return { success: true as const, data: Preview.parse({ ...preview, warnings }) };
    },
  );
}
