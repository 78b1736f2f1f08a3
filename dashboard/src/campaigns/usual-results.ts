import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { accountZone } from '../time/zone.ts';
import type { Campaign } from './campaigns.ts';

const daysBefore = 90;
const dayMs = 86_400_000;

/** The results of the account's campaigns in the 90 days before one was sent, which its own are compared with. */
export function useUsualResults({ id, started_at }: Pick<Campaign, 'id' | 'started_at'>) {
  const api = useApi();
  return useQuery({
    queryKey: ['campaigns', 'usual', id, started_at],
    queryFn: ({ signal }) => {
      const to = started_at ?? '';
      const from = new Date(Date.parse(to) - daysBefore * dayMs).toISOString();
      return responseData(api.GET('/v2/campaigns/summary', { params: { query: { from, to, timezone: accountZone() } }, signal }));
    },
    enabled: started_at !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
