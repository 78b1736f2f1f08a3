import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import type { components, paths } from '../api/schema.d.ts';
import { useList } from '../lists/use-list.ts';

export type Analytics = components['schemas']['Analytics'];
export type Visitor = components['schemas']['Visitor'];
export type VisitorWithHistory = components['schemas']['VisitorWithHistory'];
type AnalyticsQuery = NonNullable<paths['/v2/leadpulse/analytics']['get']['parameters']['query']>;
type VisitorsQuery = NonNullable<paths['/v2/leadpulse/visitors']['get']['parameters']['query']>;
export type Breakdown = NonNullable<AnalyticsQuery['by']>;
export type VisitorSearch = Pick<VisitorsQuery, 'contact_id' | 'identified' | 'event'>;

const root = ['leadpulse'];
const dayMs = 86_400_000;
/** Visitors seen within this time count as current. */
const liveMs = 5 * 60_000;

const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Traffic of the last `days` days, by day and broken down by one dimension. */
export function useTraffic(days: number, by: Breakdown) {
  const api = useApi();
  return useQuery({
    queryKey: [...root, 'analytics', days, by],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);
      return responseData(api.GET('/v2/leadpulse/analytics', { params: { query: { from, interval: 'day', timezone, by } }, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
}

/** The number of current visitors: 100 with `isMore` means more than 100. */
export function useLiveVisitors() {
  const api = useApi();
  return useQuery({
    queryKey: [...root, 'live'],
    queryFn: async ({ signal }) => {
      const query = { limit: 100, 'last_seen_at[gte]': new Date(Date.now() - liveMs).toISOString() };
      const { items, pagination } = await responseData(api.GET('/v2/leadpulse/visitors', { params: { query }, signal }));
      return { count: items.length, isMore: pagination.has_more };
    },
    refetchInterval: 10_000,
  });
}

export function useVisitors(search: VisitorSearch) {
  const api = useApi();
  return useList({
    queryKey: [...root, 'visitors', search],
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/visitors', { params: { query: { ...search, ...at } }, signal })),
  });
}

export function useVisitor(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: [...root, 'visitor', id],
    queryFn: ({ signal }) => responseData(api.GET('/v2/leadpulse/visitors/{id}', { params: { path: { id } }, signal })),
    refetchInterval: 15_000,
  });
}

export const visitorName = ({ visitor_id, id }: Visitor) => visitor_id ?? id;

/** The channel and source of a touch. */
export const touchWords = (touch: Visitor['first_touch']) =>
  touch && [touch.channel, touch.source].filter((word, at, all) => all.indexOf(word) === at).join(', ');
