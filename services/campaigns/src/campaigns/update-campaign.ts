import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { RequireSegments } from '../freezing/segments-exist.ts';
import type { RequireValidTemplates } from '../templates/require-valid-templates.ts';
import { Campaign } from './campaign.ts';
import { changeCampaign, UpdateCampaignBody } from './campaign-body.ts';
import { invalidState } from './campaign-states.ts';
import type { CampaignsStore } from './campaigns-store.ts';

type Deps = {
  campaigns: CampaignsStore;
  requireValidTemplates: RequireValidTemplates;
  requireSegments: RequireSegments;
  transact: Transact;
};

export function updateCampaign(app: Server, { campaigns, requireValidTemplates, requireSegments, transact }: Deps) {
  app.put(
    '/v2/campaigns/:id',
    {
      config: { scope: 'campaigns:write' },
      schema: {
        operationId: 'updateCampaign',
        summary: 'Update a draft',
        description:
          'Only while the status is `draft`. Omitted fields keep their value, null clears; `from`, `audience` and `track` are merged field by field. ' +
          'An update that changes nothing writes nothing. Send `If-Match` with the `ETag` to reject a stale update (optional).',
        params: z.object({ id: z.string().describe('The ID of the campaign.') }),
        querystring: noQuery,
        body: UpdateCampaignBody,
        response: { 200: success(Campaign) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      let checked: Campaign | undefined;
      return transact(
        request,
        reply,
        async (tx) => {
          const before = await campaigns.get(accountId, id, tx);
          requireMatch(request, before);
          if (before.status !== 'draft') throw invalidState('updated', before.status, ['draft']);
          const campaign = changeCampaign(before, request.body);
          // Another update was written after the check.
          if (checked && !hasSameTemplates(campaign, checked)) await requireValidTemplates(accountId, campaign);
          if (campaign !== before) await campaigns.replaceDraft(tx, accountId, campaign);
          return { status: 200, data: campaign, etag: etagOf(campaign) };
        },
        {
          before: async () => {
            const asked = changeCampaign(await campaigns.get(accountId, id), request.body);
            await requireValidTemplates(accountId, asked);
            checked = asked;
            if (request.body.audience) await requireSegments(accountId, asked.audience, { mayWait: true });
          },
        },
      );
    },
  );
}

const hasSameTemplates = (a: Campaign, b: Campaign) =>
  a.subject === b.subject && a.preview_text === b.preview_text && a.html === b.html && a.text === b.text;
