import { campaignId } from '@mp/contracts/ids';
import type { AccountId, CampaignId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { Campaign } from '../campaigns/campaign.ts';
import { campaignStatuses, hasFinalContent } from '../campaigns/campaign-states.ts';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import { defaultConversion } from '../ledger/conversions/conversions-store.ts';
import type { CountersStore } from '../ledger/counters/counters-store.ts';
import type { BreakdownName } from '../ledger/engagements/breakdowns.ts';
import type { ContentsStore } from '../messages/contents-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { BreakdownItems, itemsOf, type TargetOf } from './breakdown.ts';
import { AttributedConversion, attributed, Counts, countsOf, Rates, ratesOf } from './counts-and-rates.ts';
import { Holdout, holdoutOf } from './holdout.ts';

export const asOf = z.iso.datetime().describe('Every open, click and unsubscription before this time is counted.');

export const deliveredAfterHours = z
  .number()
  .int()
  .nullable()
  .describe('After how many hours without a bounce a sent email counts as delivered; null if only proof counts.');

export const Analytics = z
  .object({
    campaign_id: campaignId.describe('The ID of the campaign.'),
    status: z.enum(campaignStatuses).describe('The state of the campaign.'),
    as_of: asOf,
    delivered_after_hours: deliveredAfterHours,
    conversion: AttributedConversion,
    counts: Counts,
    rates: Rates.describe('The rates by name.'),
    holdout: Holdout.nullable().describe('The comparison with the hold-out group; null without one.'),
    breakdown: BreakdownItems,
  })
  .meta({ id: 'CampaignAnalytics' });
export type Analytics = z.output<typeof Analytics>;

type Deps = {
  settings: Pick<SettingsStore, 'of'>;
  mongo: Mongo;
  campaigns: CampaignsStore;
  counters: CountersStore;
  contents: ContentsStore;
};

export type ReadReport = ReturnType<typeof createReadReport>;

/** Reads the report of a campaign from its counters, in one snapshot. Throws NOT_FOUND. */
export function createReadReport({ settings, mongo, campaigns, counters, contents }: Deps) {
  /** The targets of links whose content can no longer change, so that it may be kept in memory. */
  async function targetsOf(accountId: AccountId, { id, status, ab_test }: Campaign): Promise<TargetOf> {
    if (!hasFinalContent(status)) return () => null;
    const linksOf = async (variant: string | undefined) =>
      (await contents.of({ source: 'campaign', account_id: accountId, content_id: id, ...(variant !== undefined && { variant }) }))?.links;
    const variants = [undefined, ...(ab_test?.variants ?? []).map((variant) => variant.id)];
    const links = new Map(await Promise.all(variants.map(async (variant) => [variant ?? null, await linksOf(variant)] as const)));
    return (link, variant) => links.get(variant)?.[link]?.target ?? null;
  }

  return async (
    accountId: AccountId,
    id: CampaignId,
    { by, timezone = 'UTC', requestId }: { by?: BreakdownName | undefined; timezone?: string; requestId: string },
  ) => {
    const { campaign, counted, groups } = await mongo.transaction({ correlationId: requestId, causationId: null }, async (tx) => {
      const campaign = await campaigns.get(accountId, id, tx);
      return {
        campaign,
        counted: await counters.read(tx, accountId, id, by),
        groups: campaign.holdout_percent === null ? [] : (await counters.read(tx, accountId, id, 'group')).breakdown,
      };
    });
    const { holdout_percent } = campaign;
    const conversion = campaign.conversion ?? defaultConversion;
    const counts = countsOf(counted.counts, campaign.audience_count ?? 0);
    const targetOf = by === 'link' ? await targetsOf(accountId, campaign) : () => null;
    const report: Analytics = {
      campaign_id: id,
      status: campaign.status,
      as_of: counted.asOf.toISOString(),
      delivered_after_hours: (await settings.of(accountId)).delivered_after_hours,
      conversion: attributed(conversion),
      counts,
      rates: ratesOf(counts, counted.asOf),
      holdout: holdout_percent === null ? null : holdoutOf(holdout_percent, conversion, groups),
      ...(by && { breakdown: itemsOf(counted.breakdown, { by, asOf: counted.asOf, timezone, targetOf }) }),
    };
    return { campaign, report };
  };
}
