import { Deleted, success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import type { ApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { invalidState } from './campaign-states.ts';
import type { CampaignsStore } from './campaigns-store.ts';

type Deps = { campaigns: CampaignsStore; approvals: ApprovalsStore; transact: Transact };

export function deleteCampaign(app: Server, { campaigns, approvals, transact }: Deps) {
  app.delete(
    '/v2/campaigns/:id',
    {
      config: { scope: 'campaigns:write', ifMatch: true },
      schema: {
        operationId: 'deleteCampaign',
        summary: 'Delete a draft',
        description: 'Possible only while the status is `draft`; sent campaigns are kept.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const campaign = await campaigns.get(accountId, request.params.id, tx);
        requireMatch(request, campaign);
        if (campaign.status !== 'draft') throw invalidState('deleted', campaign.status, ['draft']);
        await campaigns.removeDraft(tx, accountId, campaign);
        await approvals.remove(tx, accountId, campaign.id);
        return { status: 200, data: { id: campaign.id, deleted: true } };
      }),
  );
}
