import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink } from '@mp/service-kit/list';
import { CampaignSummary } from './campaign.ts';
import type { CampaignsStore } from './campaigns-store.ts';
import { ListCampaignsQuery } from './list-campaigns-query.ts';

export function listCampaigns(app: Server, { campaigns }: { campaigns: CampaignsStore }) {
  app.get(
    '/v2/campaigns',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'listCampaigns',
        summary: 'List campaigns',
        description:
          'Without their content; `GET /v2/campaigns/:id` returns it. **Filters.** `status` combines with either sort; `q` requires a sort by `created_at`.',
        querystring: ListCampaignsQuery,
        response: { 200: page(CampaignSummary) },
      },
    },
    async (request, reply) => {
      const found = await campaigns.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
