import { ApiError } from '@mp/contracts/errors';
import type { AccountId, CampaignId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import type { RecipientsStore } from '../ledger/recipients/recipients-store.ts';
import type { CampaignsStore } from './campaigns-store.ts';

type Deps = { mongo: Mongo; campaigns: CampaignsStore; recipients: RecipientsStore };

/** Finishes a campaign that has nothing left to send. Rows in state `unknown` do not keep it open. */
export const createFinishCampaign =
  ({ mongo, campaigns, recipients }: Deps) =>
  async ({ accountId, campaignId }: { accountId: AccountId; campaignId: CampaignId | null }) => {
    if (campaignId === null || (await recipients.hasPending(accountId, campaignId))) return;
    try {
      await mongo.transaction({ correlationId: campaignId, causationId: null }, async (tx) => {
        if (await recipients.hasPending(accountId, campaignId, tx)) return;
        await campaigns.transition(tx, accountId, {
          id: campaignId,
          name: 'finish',
          action: 'finished',
          change: { completed_at: new Date() },
        });
      });
    } catch (error) {
      // It has been paused, cancelled or finished by another worker in the meantime.
      if (!(error instanceof ApiError && (error.code === 'INVALID_STATE' || error.code === 'NOT_FOUND'))) throw error;
    }
  };
