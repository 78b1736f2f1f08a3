import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import { Name } from '@mp/contracts/text';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { TemplatesStore } from '../content/templates/templates-store.ts';
import { Campaign } from './campaign.ts';
import { duplicateOf } from './campaign-body.ts';
import type { CampaignsStore } from './campaigns-store.ts';
import { contentOfDraft } from './with-template.ts';

const Body = z.strictObject({ name: Name(200).optional().describe("The name of the copy; the original's name if omitted.") });

type Deps = { campaigns: CampaignsStore; templates: TemplatesStore; transact: Transact };

export function duplicateCampaign(app: Server, { campaigns, templates, transact }: Deps) {
  app.post(
    '/v2/campaigns/:id/duplicate',
    {
      config: { scope: 'campaigns:write', ifMatch: true },
      schema: {
        operationId: 'duplicateCampaign',
        summary: 'Duplicate a campaign',
        description:
          'Creates a draft with the same content, sender and audience. The original can be in any state. If its template was deleted, the draft has the content that was taken from it.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        body: Body,
        response: { 201: success(Campaign) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const original = await campaigns.get(accountId, request.params.id, tx);
        requireMatch(request, original);
        const content = await contentOfDraft(templates, tx, accountId, original);
        const draft = duplicateOf(original, request.body.name ?? original.name, content);
        await campaigns.insert(tx, accountId, draft);
        const copy = await campaigns.get(accountId, draft.id, tx);
        return { status: 201, data: copy, location: `/v2/campaigns/${copy.id}`, etag: etagOf(copy) };
      }),
  );
}
