import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import type { RequireSegments } from '../audience/require-segments.ts';
import { contentBodyLimit } from '../content/templates/content-fields.ts';
import { Campaign } from './campaign.ts';
import { CreateCampaignBody, newCampaign } from './campaign-body.ts';
import type { CampaignsStore } from './campaigns-store.ts';
import type { CheckContent } from './check-content.ts';

type Deps = {
  campaigns: CampaignsStore;
  checkContent: CheckContent;
  requireSegments: RequireSegments;
  transact: Transact;
};

export function createCampaign(app: Server, { campaigns, checkContent, requireSegments, transact }: Deps) {
  app.post(
    '/v2/campaigns',
    {
      config: { scope: 'campaigns:write', bodyLimit: contentBodyLimit },
      schema: {
        operationId: 'createCampaign',
        summary: 'Create a campaign',
        description:
          '`subject`, `preview_text`, `html` and `text` are Liquid templates over `contact` (`{{ contact.first_name }}`, `{{ contact.attributes.plan }}`), ' +
          '`campaign.name` and `unsubscribe_url`. An unknown field fails with 400, which lists the known ones. A link with a scheme that email does not ' +
          'allow, such as `javascript:`, also fails with 400. Each detail has the `line` and `column`. The content is `html`, `mjml`, only `text`, or that of ' +
          'a template (`template_id`). Its subject and preview text are used unless the campaign sets its own (`overrides`); changes of the template are ' +
          'included until the campaign is sent or scheduled. Nothing is sent until `POST …/send`.',
        body: CreateCampaignBody,
        response: { 201: success(Campaign) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      return transact(
        request,
        reply,
        async (tx, campaign) => {
          await campaigns.insert(tx, accountId, campaign);
          return { status: 201, data: campaign, location: `/v2/campaigns/${campaign.id}`, etag: etagOf(campaign) };
        },
        {
          before: async () => {
            const campaign = await checkContent(accountId, newCampaign(request.body));
            await requireSegments(accountId, campaign.audience, { mayWait: true });
            return campaign;
          },
        },
      );
    },
  );
}
