import { randomUUID } from 'node:crypto';
import { ApiError } from '@mp/contracts/errors';
import type { KnownPositions } from '@mp/contracts/requests/positions';
import type { AccountId, CampaignId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { notSuspended, type Suspended } from '@mp/service-kit/suspensions';
import type { Db } from 'mongodb';
import type { Lane } from '../ledger/recipients/recipients-queue.ts';
import type { CampaignDocument } from './campaign-document.ts';
import type { Work } from './campaign-states.ts';
import { createCampaignThrottle, type ThrottledCampaign } from './campaign-throttle.ts';
import { campaignsOf } from './campaigns-store.ts';

/** A campaign that a worker has claimed, with the fencing token of the claim. */
export type WorkedCampaign = CampaignDocument & { work_token: string };

export type SendingLane = Lane & ThrottledCampaign;

export type CampaignsQueue = ReturnType<typeof createCampaignsQueue>;

/** The work queue of campaigns over all accounts. Claims keep two workers off the same campaign. */
export function createCampaignsQueue(db: Db) {
  const campaigns = campaignsOf(db);

  return {
    ...createCampaignThrottle(campaigns),

    /** Claims, for `leaseMs`, the campaign whose work has waited longest. Skips suspended accounts. */
    async claim(kinds: readonly Work[], leaseMs: number, suspended: Suspended): Promise<WorkedCampaign | undefined> {
      const now = new Date();
      const token = randomUUID();
      const claimed = await campaigns.findOneAndUpdate(
        { work: { $in: [...kinds] }, work_at: { $lte: now }, ...notSuspended(suspended) },
        { $set: { work_token: token, work_at: new Date(now.getTime() + leaseMs) } },
        { sort: { work_at: 1 }, returnDocument: 'after' },
      );
      return claimed ? { ...claimed, work_token: token } : undefined;
    },

    /** When the next work of these kinds is due. */
    async nextDue(kinds: readonly Work[]): Promise<Date | undefined> {
      const [next] = await campaigns
        .find({ work: { $in: [...kinds] }, work_at: { $exists: true } }, { projection: { work_at: 1 } })
        .sort({ work_at: 1 })
        .limit(1)
        .toArray();
      return next?.work_at;
    },

    /** Releases the claim; the work is due again after `ms`. */
    async putOff({ _id, account_id, work_token }: WorkedCampaign, ms: number) {
      await campaigns.updateOne(
        { _id, account_id, work_token },
        { $set: { work_at: new Date(Date.now() + ms) }, $unset: { work_token: '' } },
      );
    },

    /** Fixes the time as of which the audience is taken. Returns false if another worker has taken over. */
    async freezeAsOf({ _id, account_id, work_token }: WorkedCampaign, frozen_at: Date): Promise<boolean> {
      const { matchedCount } = await campaigns.updateOne(
        { _id, account_id, status: 'freezing', work_token },
        { $set: { frozen_at }, $unset: { whereabouts: '' } },
      );
      return matchedCount === 1;
    },

    /** Stores what is known about the audience's sources and releases the claim for `ms`, because the audience is not complete yet. */
    async awaitSources({ _id, account_id, work_token }: WorkedCampaign, whereabouts: KnownPositions, ms: number) {
      await campaigns.updateOne(
        { _id, account_id, work_token },
        { $set: { whereabouts, work_at: new Date(Date.now() + ms) }, $unset: { work_token: '' } },
      );
    },

    /**
     * Stores, in the transaction that writes the rows, how much of the audience is in the ledger. Returns false if
     * another worker has taken over.
     */
    async advance(
      tx: Transaction,
      campaign: WorkedCampaign,
      { after, added, isFirst, leaseMs }: { after: string | undefined; added: number; isFirst: boolean; leaseMs: number },
    ): Promise<boolean> {
      const { matchedCount } = await campaigns.updateOne(
        { _id: campaign._id, account_id: campaign.account_id, status: 'freezing', work_token: campaign.work_token },
        {
          $set: {
            ...(after === undefined ? {} : { frozen_after: after }),
            ...(isFirst ? { audience_count: added } : {}),
            work_at: new Date(Date.now() + leaseMs),
          },
          ...(isFirst ? {} : { $inc: { audience_count: added } }),
        },
        { session: tx.session },
      );
      return matchedCount === 1;
    },

    /** Subtracts rows that were removed from the ledger. Throws INVALID_STATE, so that they are kept, if another worker has taken over. */
    async discount(tx: Transaction, { _id, account_id, work_token }: WorkedCampaign, removed: number, leaseMs: number) {
      const { matchedCount } = await campaigns.updateOne(
        { _id, account_id, work_token },
        { $inc: { audience_count: -removed }, $set: { work_at: new Date(Date.now() + leaseMs) } },
        { session: tx.session },
      );
      if (matchedCount === 0) throw new ApiError('INVALID_STATE', 'Another worker has taken over.');
    },

    /** Removes a campaign that has nothing left to do from the queue. */
    async settled({ _id, account_id, work_token }: WorkedCampaign) {
      await campaigns.updateOne({ _id, account_id, work_token }, { $unset: { work: '', work_at: '', work_token: '' } });
    },

    /** Up to `most` campaigns that are being sent, with an ID after `from`. `last` is where the next call continues; null at the end. */
    async sending(from: CampaignId | null, most = 5_000): Promise<{ lanes: SendingLane[]; last: CampaignId | null }> {
      const rows = await campaigns
        .find({ work: 'send', ...(from !== null && { _id: { $gt: from } }) }, { projection: { account_id: 1, throttle_per_minute: 1 } })
        .sort({ _id: 1 })
        .limit(most)
        .toArray();
      const lanes = rows.map(({ _id, account_id, throttle_per_minute }) => ({
        key: _id,
        accountId: account_id,
        campaignId: _id,
        throttlePerMinute: throttle_per_minute,
      }));
      return { lanes, last: rows.length < most ? null : (rows.at(-1)?._id ?? null) };
    },

    /** Whether this campaign is still being sent. */
    async isSending(accountId: AccountId, id: CampaignId): Promise<boolean> {
      return (await campaigns.findOne({ _id: id, account_id: accountId, work: 'send' }, { projection: { _id: 1 } })) !== null;
    },
  };
}
