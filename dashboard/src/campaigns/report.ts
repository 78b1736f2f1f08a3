import type { CampaignBreakdownItem, ComparedCampaign } from '@marketing-platform/sdk';
import { useQuery } from '@tanstack/react-query';
import DataLoader from 'dataloader';
import { type Api, responseData, useApi } from '../api/api.ts';
import { type Campaign, isInProgress } from './campaigns.ts';

export type BreakdownItem = CampaignBreakdownItem;
export type Compared = ComparedCampaign;
type By = 'variant' | 'hour' | 'link' | 'device' | 'domain';

/** The report of a campaign by variant, hour, link, device or domain. */
export function useReportBy({ id, status }: Pick<Campaign, 'id' | 'status'>, by: By, enabled = true) {
  const api = useApi();
  return useQuery({
    queryKey: ['campaign', id, 'analytics', by],
    queryFn: async ({ signal }) => {
      const { breakdown } = await responseData(
        api.GET('/v2/campaigns/{id}/analytics', { params: { path: { id }, query: { by } }, signal }),
      );
      return breakdown ?? [];
    },
    refetchInterval: isInProgress(status) ? 5_000 : 30_000,
    enabled,
  });
}

const maxIds = 10;
/** One batch loader per API client, so that a list fetches the rates of its rows together. */
const loaders = new WeakMap<Api, DataLoader<string, Compared>>();

function loaderOf(api: Api) {
  const loader =
    loaders.get(api) ??
    new DataLoader<string, Compared>(
      async (ids) => {
        const { items: campaigns } = await responseData(api.GET('/v2/campaigns/compare', { params: { query: { ids: ids.join(',') } } }));
        const found = new Map(campaigns.map((campaign) => [campaign.campaign_id, campaign]));
        return ids.map((id) => found.get(id) ?? new Error('This campaign no longer exists.'));
      },
      // TanStack Query does the caching.
      { maxBatchSize: maxIds, cache: false },
    );
  loaders.set(api, loader);
  return loader;
}

/** The counts and rates of a campaign, loaded together with those of other campaigns on the page. */
export function useCampaignMetrics(id: string | undefined) {
  const api = useApi();
  return useQuery({
    queryKey: ['campaign', id, 'metrics'],
    queryFn: () => loaderOf(api).load(id ?? ''),
    enabled: id !== undefined,
    staleTime: 15_000,
  });
}
