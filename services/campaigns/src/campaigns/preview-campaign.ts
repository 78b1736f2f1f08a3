import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { problemError } from '@mp/templates/problem-error';
import type { Templates } from '@mp/templates/templates';
import { z } from 'zod';
import { variantField, variantOf } from '../ab-tests/variant-field.ts';
import type { FindMailable } from '../audience/contactables/mailable-contacts.ts';
import type { FindContentWarnings } from '../content/templates/content-warnings.ts';
import { contactOrSample, Preview, PreviewBody, previewScope } from '../content/templates/preview-fields.ts';
import type { CampaignsStore } from './campaigns-store.ts';
import type { WithTemplate } from './with-template.ts';

type Deps = {
  campaigns: CampaignsStore;
  withTemplate: WithTemplate;
  findMailable: FindMailable;
  templates: Pick<Templates, 'render'>;
  publicUrl: string;
  findContentWarnings: FindContentWarnings;
};

const Body = PreviewBody.safeExtend({ variant: variantField }).meta(contactOrSample);

export function previewCampaign(app: Server, { campaigns, withTemplate, findMailable, templates, publicUrl, findContentWarnings }: Deps) {
  app.post(
    '/v2/campaigns/:id/preview',
    {
      config: { scope: 'campaigns:read', reads: true },
      schema: {
        operationId: 'previewCampaign',
        summary: 'Render a campaign for one contact',
        description: 'Renders it for a contact of the account, for sample fields, or with empty fields. Nothing is sent or saved.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body: Body,
        response: { 200: success(Preview) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { variant } = request.body;
      const campaign = variantOf(await withTemplate(accountId, await campaigns.get(accountId, request.params.id)), variant);
      const { subject, preview_text, html, text } = campaign;
      const message = { subject, preview_text, html, text };
      const scope = {
        contact: await previewScope(findMailable, accountId, request.body),
        campaign: { name: campaign.name },
        unsubscribe_url: `${publicUrl}/t/preview`,
      };
      const { problems, ...preview } = await templates.render({ accountId, templates: message, scope });
      const error = problemError(problems);
      if (error) throw error;
      const warnings = await findContentWarnings(accountId, [message]);
      return { success: true as const, data: Preview.parse({ ...preview, warnings }) };
    },
  );
}
