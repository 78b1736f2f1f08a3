import type { AccountId, CampaignId } from '@mp/ids';
import type { Collection } from 'mongodb';
import { allowanceOf } from '../delivery/sending/throttle-allowance.ts';
import type { CampaignDocument } from './campaign-document.ts';

export type ThrottledCampaign = { accountId: AccountId; campaignId: CampaignId; throttlePerMinute: number | null };

/** The emails per minute that a campaign allows. */
export function createCampaignThrottle(campaigns: Collection<CampaignDocument>) {
  /** Returns `count` unused emails to the throttle's allowance. */
  const refund = (accountId: AccountId, id: CampaignId, count: number, perMinute: number) =>
    campaigns.updateOne({ _id: id, account_id: accountId }, { $inc: { throttle_free_at: -count * (60_000 / perMinute) } });

  return {
    /** Reserves up to `wanted` emails of the throttle's allowance and returns how many. All workers share one throttle. */
    async reserve({ accountId, campaignId, throttlePerMinute }: ThrottledCampaign, wanted: number): Promise<number> {
      if (throttlePerMinute === null) return wanted;
      const row = await campaigns.findOne({ _id: campaignId, account_id: accountId }, { projection: { throttle_free_at: 1 } });
      const { count, freeAt } = allowanceOf({ freeAt: row?.throttle_free_at, perMinute: throttlePerMinute }, wanted, Date.now());
      if (count === 0) return 0;
      const { modifiedCount } = await campaigns.updateOne(
        { _id: campaignId, account_id: accountId, throttle_free_at: row?.throttle_free_at ?? { $exists: false } },
        { $set: { throttle_free_at: freeAt } },
      );
      return modifiedCount === 1 ? count : 0;
    },

    async giveBack({ accountId, campaignId, throttlePerMinute }: ThrottledCampaign, count: number) {
      if (throttlePerMinute !== null && count > 0) await refund(accountId, campaignId, count, throttlePerMinute);
    },
  };
}
