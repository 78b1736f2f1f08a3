import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { campaignStatuses } from '../campaigns/campaign-states.ts';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import type { CountersStore } from '../engagements/counters-store.ts';
import type { RecipientsStore } from '../recipients/recipients-store.ts';
import { Counts, countsOf, Rates, ratesOf } from './analytics.ts';

type Deps = { campaigns: CampaignsStore; recipients: RecipientsStore; counters: CountersStore };

const Analytics = z
  .object({
    campaign_id: z.string().describe('The ID of the campaign.'),
    status: z.enum(campaignStatuses).describe('The state of the campaign.'),
    as_of: z.iso.datetime().describe('Every open, click and unsubscription before this time is counted.'),
    counts: Counts,
    rates: Rates.describe('The rates by name.'),
  })
  .meta({ id: 'CampaignAnalytics' });

export function getAnalytics(app: Server, { campaigns, recipients, counters }: Deps) {
  app.get(
    '/v2/campaigns/:id/analytics',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCampaignAnalytics',
        summary: 'Get the analytics of a campaign',
        description:
          'Opens and clicks by people and by machines (prefetchers, scanners) are counted separately, ' +
          'each as a total and by unique recipient. ' +
          'Every rate has its definition and its `as_of` time; its value is null if the denominator is zero.',
        params: z.object({ id: z.string().describe('The ID of the campaign.') }),
        querystring: noQuery,
        response: { 200: success(Analytics) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id, status } = await campaigns.get(accountId, request.params.id);
      const [states, { counters: counted, asOf }] = await Promise.all([recipients.countStates(accountId, id), counters.of(accountId, id)]);
      const counts = countsOf(states, counted);
      const data = { campaign_id: id, status, as_of: asOf.toISOString(), counts, rates: ratesOf(counts, asOf) };
      return { success: true as const, data };
    },
  );
}
