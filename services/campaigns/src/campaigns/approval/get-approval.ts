import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import { approvalFields, approvalView } from '@mp/service-kit/approval';
import type { ApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { sendersOf } from '../../ab-tests/ab-test.ts';
import type { CampaignsStore } from '../campaigns-store.ts';
import { approvedContent } from './campaign-approvals.ts';

const CampaignApproval = z
  .object({
    ...approvalFields,
    schedule_at: z.iso.datetime().nullable().describe('When sending would start; null for immediately after the approval.'),
  })
  .meta({ id: 'CampaignApproval' });

export function getApproval(app: Server, { campaigns, approvals }: { campaigns: CampaignsStore; approvals: ApprovalsStore }) {
  app.get(
    '/v2/campaigns/:id/approval',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCampaignApproval',
        summary: 'Get the approval of a campaign',
        description:
          'Who requested approval, what was decided, and what changed since the last approved version. A dry run, a preview and the campaign show what would be sent.',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        response: { 200: success(CampaignApproval) },
      },
    },
    async (request, reply) => {
      const { principal, params } = request;
      const campaign = await campaigns.get(principal.accountId, params.id);
      const approval = await approvals.find(principal.accountId, params.id);
      const { revision, schedule_at } = campaign;
      const emails = sendersOf(campaign).map((sender) => ({ topic: campaign.topic, sender }));
      const content = approvedContent(campaign);
      const view = approvalView({ request: approval, revision, content, principal, scope: 'campaigns:send', emails });
      return reply.header('etag', etagOf(campaign)).send({ success: true as const, data: { ...view, schedule_at } });
    },
  );
}
