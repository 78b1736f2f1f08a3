import { success } from '@mp/contracts/envelope';
import { campaignId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import type { ReadProgress } from '../ledger/recipients/read-progress.ts';
import { StateCounts } from '../ledger/recipients/recipient.ts';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import { Campaign, Timing } from './campaign.ts';
import type { CampaignsStore } from './campaigns-store.ts';

const CampaignWithProgress = Campaign.extend({
  progress: StateCounts.nullable().describe('The number of recipients in each state; null until the audience is frozen.'),
  timing: Timing.nullable().describe('When the waiting emails are due; null until the audience is frozen.'),
}).meta({ id: 'CampaignWithProgress' });

type Deps = { mongo: Mongo; campaigns: CampaignsStore; recipients: Pick<RecipientsStore, 'timingOf'>; readProgress: ReadProgress };

export function getCampaign(app: Server, { mongo, campaigns, recipients, readProgress }: Deps) {
  app.get(
    '/v2/campaigns/:id',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'getCampaign',
        summary: 'Get a campaign and its progress',
        params: z.object({ id: campaignId.describe('The ID of the campaign.') }),
        response: { 200: success(CampaignWithProgress) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { campaign, progress } = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        const campaign = await campaigns.get(accountId, request.params.id, tx);
        return { campaign, progress: campaign.frozen_at === null ? null : await readProgress(tx, accountId, campaign) };
      });
      const timing = progress && (await recipients.timingOf(accountId, campaign.id));
      return reply.header('etag', etagOf(campaign)).send({ success: true, data: { ...campaign, progress, timing } });
    },
  );
}
