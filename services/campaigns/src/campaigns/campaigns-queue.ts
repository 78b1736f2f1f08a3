import { randomUUID } from 'node:crypto';
import type { Whereabouts } from '@mp/contracts/questions/positions';
import type { Transaction } from '@mp/service-kit/mongo';
import { notSuspended, type Suspended } from '@mp/service-kit/suspensions';
import type { Db } from 'mongodb';
import type { Lane } from '../recipients/recipients-queue.ts';
import type { Work } from './campaign-states.ts';
import { type CampaignDocument, campaignsOf } from './campaigns-store.ts';

/** A campaign somebody works on, and the token under which that is written. */
export type WorkedCampaign = CampaignDocument & { work_token: string };

export type SendingLane = Lane & { campaignId: string; throttlePerMinute: number | null };

/** How far ahead of the even pace a throttled campaign may be: a claim takes what is due within this time. */
const throttleAheadMs = 500;

export type CampaignsQueue = ReturnType<typeof createCampaignsQueue>;

/** What workers find to do, over all accounts, and how several of them do not do it twice. */
export function createCampaignsQueue(db: Db) {
  const campaigns = campaignsOf(db);

  /** Lets `count` messages out ahead of time again, when they turned out not to be mailed. */
  const refund = (accountId: string, id: string, count: number, perMinute: number) =>
    campaigns.updateOne({ _id: id, account_id: accountId }, { $inc: { throttle_free_at: -count * (60_000 / perMinute) } });

  return {
    /** The campaign of an account that is not suspended whose work has waited longest, until `leaseMs` from now; then it is anybody's again. */
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

    /** Puts the work off, or gives it back at once. */
    async putOff({ _id, account_id, work_token }: WorkedCampaign, ms: number) {
      await campaigns.updateOne(
        { _id, account_id, work_token },
        { $set: { work_at: new Date(Date.now() + ms) }, $unset: { work_token: '' } },
      );
    },

    /** Takes the audience as of a moment. False: somebody else took over. */
    async freezeAsOf({ _id, account_id, work_token }: WorkedCampaign, frozen_at: Date): Promise<boolean> {
      const { matchedCount } = await campaigns.updateOne(
        { _id, account_id, status: 'freezing', work_token },
        { $set: { frozen_at }, $unset: { whereabouts: '' } },
      );
      return matchedCount === 1;
    },

    /** The audience is not complete yet: keeps what is known of its sources, and lets others go first. */
    async awaitSources({ _id, account_id, work_token }: WorkedCampaign, whereabouts: Whereabouts, ms: number) {
      await campaigns.updateOne(
        { _id, account_id, work_token },
        { $set: { whereabouts, work_at: new Date(Date.now() + ms) }, $unset: { work_token: '' } },
      );
    },

    /** Notes in the transaction of the rows how far the audience is in the ledger. False: somebody else took over. */
    async advance(tx: Transaction, campaign: WorkedCampaign, after: string | undefined, added: number, leaseMs: number): Promise<boolean> {
      const { matchedCount } = await campaigns.updateOne(
        { _id: campaign._id, account_id: campaign.account_id, status: 'freezing', work_token: campaign.work_token },
        {
          $set: { ...(after === undefined ? {} : { frozen_after: after }), work_at: new Date(Date.now() + leaseMs) },
          $inc: { audience_count: added },
        },
        { session: tx.session },
      );
      return matchedCount === 1;
    },

    /** Everything of a cancelled campaign is settled: nobody has to look at it again. */
    async settled({ _id, account_id, work_token }: WorkedCampaign) {
      await campaigns.updateOne({ _id, account_id, work_token }, { $unset: { work: '', work_at: '', work_token: '' } });
    },

    /** The campaigns after `from` that are being sent; after `most` of them the next look goes on from `last`. */
    async sending(from: string, most = 5_000): Promise<{ lanes: SendingLane[]; last: string }> {
      const rows = await campaigns
        .find({ work: 'send', _id: { $gt: from } }, { projection: { account_id: 1, throttle_per_minute: 1 } })
        .sort({ _id: 1 })
        .limit(most)
        .toArray();
      const lanes = rows.map(({ _id, account_id, throttle_per_minute }) => ({
        key: _id,
        accountId: account_id,
        campaignId: _id,
        throttlePerMinute: throttle_per_minute,
      }));
      return { lanes, last: rows.length < most ? '' : (rows.at(-1)?._id ?? '') };
    },

    /** Whether this one is still being sent. */
    async isSending(accountId: string, id: string): Promise<boolean> {
      return (await campaigns.findOne({ _id: id, account_id: accountId, work: 'send' }, { projection: { _id: 1 } })) !== null;
    },

    /** How many of `wanted` messages the throttle lets out now; they are taken from it. Several workers share one throttle. */
    async reserve({ accountId, campaignId, throttlePerMinute }: SendingLane, wanted: number): Promise<number> {
      if (throttlePerMinute === null) return wanted;
      const each = 60_000 / throttlePerMinute;
      const row = await campaigns.findOne({ _id: campaignId, account_id: accountId }, { projection: { throttle_free_at: 1 } });
      const now = Date.now();
      const freeAt = Math.max(row?.throttle_free_at ?? 0, now - throttleAheadMs);
      const count = Math.min(wanted, freeAt > now ? 0 : Math.floor((now - freeAt) / each) + 1);
      if (count === 0) return 0;
      const { modifiedCount } = await campaigns.updateOne(
        { _id: campaignId, account_id: accountId, throttle_free_at: row?.throttle_free_at ?? { $exists: false } },
        { $set: { throttle_free_at: freeAt + count * each } },
      );
      return modifiedCount === 1 ? count : 0;
    },

    async giveBack({ accountId, campaignId, throttlePerMinute }: SendingLane, count: number) {
      if (throttlePerMinute !== null && count > 0) await refund(accountId, campaignId, count, throttlePerMinute);
    },
  };
}
