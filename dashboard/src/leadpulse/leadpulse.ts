import type { GetLeadpulseAnalyticsRequest, LeadpulseSettings, QueryResult, ReportJob } from '@marketing-platform/sdk';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { changedFields } from '../form/changed-fields.ts';
import { accountZone } from '../time/zone.ts';
import { awaitReportJob } from './await-report-job.ts';
import { type BreakdownItem, largestFirst } from './largest-first.ts';
import { comparisonOf, type Dimension, filtersIn, rangeOf, type TrafficSearch } from './leadpulse-search.ts';

export type { Analytics, ListedEvent, Live } from '@marketing-platform/sdk';
export type { LeadpulseSettings };

type AnalyticsQuery = NonNullable<GetLeadpulseAnalyticsRequest['query']>;
type Rollup = NonNullable<AnalyticsQuery['by']>;

export const leadpulseKey = ['leadpulse'];

/** The filters of a view as the API takes them. */
export function filterOf(search: TrafficSearch) {
  const conditions = filtersIn(search).map(({ dimension, value }) => ({ dimension, op: 'eq' as const, value }));
  return conditions.length === 0 ? undefined : { all: conditions };
}

/** What all requests of a view have in common. */
export function scopeOf(search: TrafficSearch) {
  const { from, to } = rangeOf(search);
  return { range: { from, to, timezone: accountZone() }, filter: filterOf(search) };
}

export const refetchMs = 30_000;

/** The totals and the chart of a view, with those of the range that it is compared with. */
export function useTraffic(search: TrafficSearch) {
  const api = useApi();
  const { range, filter } = scopeOf(search);
  const { interval } = rangeOf(search);
  const compare = comparisonOf(search);
  const query = { ...range, interval, ...(compare && { compare }), ...(filter && { filter: JSON.stringify(filter) }) };
  return useQuery({
    queryKey: [...leadpulseKey, 'analytics', query],
    queryFn: ({ signal }) => responseData(api.GET('/v2/leadpulse/analytics', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
}

/** What a breakdown counts. Pages and events are counted by how often they occurred. */
export const sizeOf = (dimension: Dimension) => (dimension === 'page' ? 'pageviews' : dimension === 'event' ? 'events' : 'visitors');
const sizeNames = { pageviews: 'Page views', events: 'Events', visitors: 'Visitors' };
export const sizeLabel = (dimension: Dimension) => sizeNames[sizeOf(dimension)];

/** The dimensions that are counted in advance; the others are counted from events. */
const rollups = [
  'channel',
  'source',
  'referrer',
  'utm_campaign',
  'utm_source',
  'page',
  'country',
  'device',
  'browser',
  'event',
] as const satisfies Rollup[];

/** The traffic of a view by a dimension, the largest values first. */
export function useBreakdown(search: TrafficSearch, dimension: Dimension) {
  const api = useApi();
  const { range, filter } = scopeOf(search);
  const by = rollups.find((one) => one === dimension);

  async function fromRollups(rollup: Rollup, signal: AbortSignal) {
    const query = { ...range, interval: 'month' as const, by: rollup, ...(filter && { filter: JSON.stringify(filter) }) };
    const { breakdown } = await responseData(api.GET('/v2/leadpulse/analytics', { params: { query }, signal }));
    const size = sizeOf(rollup);
    const items = (breakdown?.items ?? []).map((item) => ({ value: item.value, size: item[size], error: item.visitors_error ?? 0 }));
    return { items: largestFirst(items), truncated: breakdown?.truncated ?? false };
  }

  async function fromEvents(signal: AbortSignal) {
    const body = {
      ...range,
      metrics: ['visitors' as const],
      dimensions: [dimension],
      order: '-visitors' as const,
      ...(filter && { filter }),
    };
    const report = await responseData<QueryResult | ReportJob>(api.POST('/v2/leadpulse/query', { body, signal }));
    const { rows, truncated } = await awaitReportJob(api, report, isQueryResult, signal);
    const items = (rows ?? []).flatMap(({ values: [value], metrics: { visitors } }) =>
      typeof value === 'string' ? [{ value, size: visitors ?? 0, error: 0 }] : [],
    );
    return { items, truncated };
  }

  return useQuery({
    queryKey: [...leadpulseKey, 'breakdown', range, filter, dimension],
    queryFn: ({ signal }): Promise<{ items: BreakdownItem[]; truncated: boolean }> => (by ? fromRollups(by, signal) : fromEvents(signal)),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
}

const isQueryResult = (result: object): result is QueryResult => 'rows' in result && 'totals' in result;

const liveKey = [...leadpulseKey, 'live'];
const liveMs = 5_000;

/** The current visitors, counted again every five seconds. */
export function useLive() {
  const api = useApi();
  return useQuery({
    queryKey: liveKey,
    queryFn: ({ signal }) => responseData(api.GET('/v2/leadpulse/live', { signal })),
    refetchInterval: liveMs,
  });
}

/** The number of current visitors. */
export function useLiveVisitors() {
  const { data, ...query } = useLive();
  return { ...query, data: data && { count: data.visitors, isMore: false } };
}

const settingsKey = [...leadpulseKey, 'settings'];

export function useLeadpulseSettings() {
  const api = useApi();
  return useQuery({ queryKey: settingsKey, queryFn: ({ signal }) => responseData(api.GET('/v2/leadpulse/settings', { signal })) });
}

/** Saves what was changed since `before`, so that it does not undo the changes of another user. */
export function useChangeLeadpulseSettings() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ before, values }: { before: LeadpulseSettings; values: LeadpulseSettings }) =>
      responseData(api.PUT('/v2/leadpulse/settings', { body: changedFields(before, values) })),
    onSuccess: (settings) => queries.setQueryData(settingsKey, settings),
  });
}
