import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { accountZone } from '../time/zone.ts';

type Range = { from: string; to: string };

const staleTime = 60_000;

/** The emails of campaigns that started in the range. */
export function useCampaignsSummary({ from, to }: Range) {
  const api = useApi();
  return useQuery({
    queryKey: ['campaigns', 'summary', from, to],
    queryFn: ({ signal }) =>
      responseData(api.GET('/v2/campaigns/summary', { params: { query: { from, to, timezone: accountZone() } }, signal })),
    placeholderData: keepPreviousData,
    staleTime,
  });
}

/** Visitors and revenue by day, with those of the range before. */
export function useVisits({ from, to }: Range) {
  const api = useApi();
  const query = { from, to, timezone: accountZone(), interval: 'day' as const, compare: 'previous' as const };
  return useQuery({
    queryKey: ['leadpulse', 'analytics', query],
    queryFn: ({ signal }) => responseData(api.GET('/v2/leadpulse/analytics', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    staleTime,
  });
}

/** The number of contacts that were created in a range. */
export function useNewContacts({ from, to }: Range) {
  const api = useApi();
  return useQuery({
    queryKey: ['contacts', 'count', from, to],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, include: 'total_count' as const, 'created_at[gte]': from, 'created_at[lt]': to };
      return (await responseData(api.GET('/v2/contacts', { params: { query }, signal }))).pagination.total_count ?? 0;
    },
    placeholderData: keepPreviousData,
    staleTime,
  });
}

/** The number of contacts that were seen in the last days. */
export function useActiveContacts(days: number) {
  const api = useApi();
  return useQuery({
    queryKey: ['contacts', 'active', days],
    queryFn: async ({ signal }) => {
      const definition = { date: 'last_seen_at' as const, op: 'in_last' as const, value: `P${days}D` };
      return responseData(api.POST('/v2/segments/preview', { body: { definition }, signal }));
    },
    placeholderData: keepPreviousData,
    staleTime,
  });
}

/** The number of active workflows. */
export function useActiveWorkflows() {
  const api = useApi();
  return useQuery({
    queryKey: ['workflows', 'count', 'active'],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, include: 'total_count' as const, status: 'active' as const };
      return (await responseData(api.GET('/v2/workflows', { params: { query }, signal }))).pagination.total_count ?? 0;
    },
    staleTime,
  });
}

/** The analytics of several workflows, in the same cache as on their pages. */
export function useAnalyticsOf(workflows: readonly { id: string }[]) {
  const api = useApi();
  return useQueries({
    queries: workflows.map(({ id }) => ({
      queryKey: ['workflow', id, 'analytics'],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        responseData(api.GET('/v2/workflows/{id}/analytics', { params: { path: { id } }, signal })),
      staleTime,
    })),
  });
}

/** When the last failed run of each workflow started, in their order; undefined until it is known, or if none failed. */
export function useLastFailures(workflows: readonly { id: string }[]) {
  const api = useApi();
  return useQueries({
    queries: workflows.map(({ id }) => ({
      queryKey: ['workflow', id, 'last-failure'],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await responseData(api.GET('/v2/workflows/{id}', { params: { path: { id } }, signal }))).last_failure,
      staleTime,
    })),
  }).map(({ data }) => data?.at);
}
