import type { Usage } from '@marketing-platform/sdk';
import { useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';

export type { Usage };

export const planNames: Record<Usage['plan'], string> = {
  starter: 'Starter',
  growth: 'Growth',
  professional: 'Professional',
  enterprise: 'Enterprise',
};

/** Today's requests and the plan's daily limit. Reading them does not count as a request. */
export function useUsage(enabled = true) {
  const api = useApi();
  return useQuery({
    queryKey: ['usage'],
    queryFn: ({ signal }) => responseData(api.GET('/v2/settings/usage', { signal })),
    refetchInterval: 15_000,
    enabled,
  });
}

/** The limits of the plan. */
export function usePlan() {
  const api = useApi();
  return useQuery({
    queryKey: ['plan'],
    queryFn: ({ signal }) => responseData(api.GET('/v2/settings/plan', { signal })),
    staleTime: 60_000,
  });
}

const dayMs = 86_400_000;
const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);

/** Requests per UTC day for the last `days` days, oldest first; a day without requests is 0. */
export function useUsageHistory(days: number) {
  const api = useApi();
  return useQuery({
    queryKey: ['usage', 'history', days],
    queryFn: async ({ signal }) => {
      const now = Date.now();
      const query = { limit: 100, 'date[gte]': dayOf(now - (days - 1) * dayMs) };
      const { items } = await responseData(api.GET('/v2/settings/usage/history', { params: { query }, signal }));
      const byDay = new Map(items.map(({ date, requests }) => [date, requests]));
      return Array.from({ length: days }, (_, index) => {
        const date = dayOf(now - (days - 1 - index) * dayMs);
        return { date, requests: byDay.get(date) ?? 0 };
      });
    },
    refetchInterval: 60_000,
  });
}
