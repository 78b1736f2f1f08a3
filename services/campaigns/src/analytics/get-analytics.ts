import { success } from '@mp/contracts/envelope';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { type CampaignStatus, campaignStatuses, hasFinalContent } from '../campaigns/campaign-states.ts';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import type { CountersStore } from '../engagements/counters-store.ts';
import type { BreakdownName } from '../engagements/parts.ts';
import type { RecipientsStore } from '../recipients/recipients-store.ts';
import type { ContentsStore } from '../templates/contents-store.ts';
import { Counts, countsOf, Rates, ratesOf } from './analytics.ts';
import { BreakdownItems, By, itemsOf } from './breakdown.ts';

type Deps = { campaigns: CampaignsStore; recipients: RecipientsStore; counters: CountersStore; contents: ContentsStore };

const Analytics = z
  .object({
    campaign_id: z.string().describe('The ID of the campaign.'),
    status: z.enum(campaignStatuses).describe('The state of the campaign.'),
    as_of: z.iso.datetime().describe('Every open, click and unsubscription before this time is counted.'),
    counts: Counts,
    rates: Rates.describe('The rates by name.'),
    breakdown: BreakdownItems,
  })
  .meta({ id: 'CampaignAnalytics' });

export function getAnalytics(app: Server, { campaigns, recipients, counters, contents }: Deps) {
  /** The links of a campaign whose content cannot change any more, so that it may be kept in memory. */
  async function linksOf(account_id: AccountId, id: string, status: CampaignStatus, by: BreakdownName) {
    if (by !== 'link' || !hasFinalContent(status)) return [];
    return (await contents.of({ source: 'campaign', account_id, content_id: id }))?.links ?? [];
  }

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
          'Every rate has its definition and its `as_of` time; its value is null if the denominator is zero. ' +
          '`by` adds a breakdown by link or hour; it costs the same for any number of recipients.',
        params: z.object({ id: z.string().describe('The ID of the campaign.') }),
        querystring: z.strictObject({ by: By }),
        response: { 200: success(Analytics) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { id, status } = await campaigns.get(accountId, request.params.id);
      const [states, { counters: counted, asOf }] = await Promise.all([recipients.countStates(accountId, id), counters.of(accountId, id)]);
      const { by } = request.query;
      const breakdown = by && {
        breakdown: itemsOf(by, await counters.breakdown(accountId, id, by), await linksOf(accountId, id, status, by)),
      };
      const counts = countsOf(states, counted);
      const data = { campaign_id: id, status, as_of: asOf.toISOString(), counts, rates: ratesOf(counts, asOf), ...breakdown };
      return { success: true as const, data };
    },
  );
}
