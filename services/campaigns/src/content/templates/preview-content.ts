import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';
import type { FindMailable } from '../../audience/contactables/mailable-contacts.ts';
import { contentBodyLimit, contentFields } from './content-fields.ts';
import type { FindContentWarnings } from './content-warnings.ts';
import { MessageData } from './message-data.ts';
import { contactOrSample, Preview, PreviewBody, previewScope } from './preview-fields.ts';
import type { RequireValidTemplates } from './require-valid-templates.ts';

type Deps = {
  findMailable: FindMailable;
  requireValidTemplates: RequireValidTemplates;
  templates: Pick<Templates, 'render'>;
  publicUrl: string;
  findContentWarnings: FindContentWarnings;
};

const { subject, preview_text, html, text } = contentFields;

const Body = PreviewBody.safeExtend({
  subject: subject.optional(),
  preview_text: preview_text.optional(),
  html: html.optional(),
  text: text.optional(),
  data: MessageData.optional().describe(
    'Sample values of `data`, for emails of messages. Without it and without `responses`, `data` is an unknown field.',
  ),
  responses: MessageData.optional().describe('Sample values of `responses`, for emails of workflows.'),
}).meta(contactOrSample);

export function previewContent(app: Server, { findMailable, requireValidTemplates, templates, publicUrl, findContentWarnings }: Deps) {
  app.post(
    '/v2/campaigns/preview',
    {
      config: { scope: 'campaigns:read', reads: true, bodyLimit: contentBodyLimit },
      schema: {
        operationId: 'previewContent',
        summary: 'Check and render an email that is not saved',
        description:
          'Renders the email for a contact of the account, for sample fields, or with empty fields. A template error fails with 400, and names its part, line and column. Nothing is sent or saved.',
        body: Body,
        response: { 200: success(Preview) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { subject = '', preview_text = null, html = '', text = null, data, responses } = request.body;
      const message = { subject, preview_text, html, text };
      await requireValidTemplates(accountId, message, { data: data !== undefined || responses !== undefined });
      const scope = {
        contact: await previewScope(findMailable, accountId, request.body),
        campaign: { name: '' },
        unsubscribe_url: `${publicUrl}/t/preview`,
        ...(data && { data }),
        ...(responses && { responses }),
      };
      const { problems, ...preview } = await templates.render({ accountId, templates: message, scope });
      const error = problemError(problems);
      if (error) throw error;
      const warnings = await findContentWarnings(accountId, [message]);
      return { success: true as const, data: Preview.parse({ ...preview, warnings }) };
    },
  );
}
