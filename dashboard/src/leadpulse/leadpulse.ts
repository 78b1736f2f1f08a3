import type {
  CreateGoalRequest,
  GetLeadpulseAnalyticsRequest,
  Goal,
  GoalResult,
  LeadpulseSettings,
  QueryResult,
  ReportJob,
  Visitor,
} from '@marketing-platform/sdk';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Api, responseData, useApi } from '../api/api.ts';
import { changedFields } from '../form/changed-fields.ts';
import { useList } from '../lists/use-list.ts';
import { accountZone } from '../time/zone.ts';
import { type BreakdownItem, largestFirst } from './largest-first.ts';
import { comparisonOf, type Dimension, filtersIn, rangeOf, type TrafficSearch, type VisitorSearch, valueText } from './leadpulse-search.ts';

export type { Analytics, ListedEvent, Live, VisitorWithHistory } from '@marketing-platform/sdk';
export type { Goal, LeadpulseSettings, ReportJob, Visitor };

type AnalyticsQuery = NonNullable<GetLeadpulseAnalyticsRequest['query']>;

type NewGoal = CreateGoalRequest['body'];
type Rollup = NonNullable<AnalyticsQuery['by']>;

const root = ['leadpulse'];

/** The filters of a view as the API takes them. */
export function filterOf(search: TrafficSearch) {
  const conditions = filtersIn(search).map(({ dimension, value }) => ({ dimension, op: 'eq' as const, value }));
  return conditions.length === 0 ? undefined : { all: conditions };
}

/** What all requests of a view have in common. */
function scopeOf(search: TrafficSearch) {
  const { from, to } = rangeOf(search);
  return { range: { from, to, timezone: accountZone() }, filter: filterOf(search) };
}

const refetchMs = 30_000;

/** The totals and the chart of a view, with those of the range that it is compared with. */
export function useTraffic(search: TrafficSearch) {
  const api = useApi();
  const { range, filter } = scopeOf(search);
  const { interval } = rangeOf(search);
  const compare = comparisonOf(search);
  const query = { ...range, interval, ...(compare && { compare }), ...(filter && { filter: JSON.stringify(filter) }) };
  return useQuery({
    queryKey: [...root, 'analytics', query],
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
    const { rows, truncated } = await completed(api, report, isQueryResult, signal);
    const items = (rows ?? []).flatMap(({ values: [value], metrics: { visitors } }) =>
      typeof value === 'string' ? [{ value, size: visitors ?? 0, error: 0 }] : [],
    );
    return { items, truncated };
  }

  return useQuery({
    queryKey: [...root, 'breakdown', range, filter, dimension],
    queryFn: ({ signal }): Promise<{ items: BreakdownItem[]; truncated: boolean }> => (by ? fromRollups(by, signal) : fromEvents(signal)),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
}

const pollMs = 1_000;
const isQueryResult = (result: object): result is QueryResult => 'rows' in result && 'totals' in result;
const isGoalResult = (result: object): result is GoalResult => 'goal_id' in result && 'totals' in result;

/** The result of a report. A large one runs as a job; this waits until it is completed. */
export async function completed<Result extends object>(
  api: Api,
  report: Result | ReportJob,
  isResult: (result: object) => result is Result,
  signal: AbortSignal,
): Promise<Result> {
  if (isResult(report)) return report;
  let job = report;
  while (job.status === 'queued' || job.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    job = await responseData(api.GET('/v2/leadpulse/reports/{id}', { params: { path: { id: job.id } }, signal }));
  }
  if (job.result && isResult(job.result)) return job.result;
  throw new Error(job.error ?? 'The report has no result.');
}

const goalsKey = [...root, 'goals'];

export function useGoals() {
  const api = useApi();
  return useList({
    queryKey: goalsKey,
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/goals', { params: { query: at }, signal })),
  });
}

/** The conversions of a goal in a view. */
export function useGoalReport({ id, revision }: Goal, search: TrafficSearch) {
  const api = useApi();
  const { range, filter } = scopeOf(search);
  return useQuery({
    queryKey: [...root, 'goal', id, revision, range, filter],
    queryFn: async ({ signal }) => {
      const body = { ...range, ...(filter && { filter }) };
      const report = await responseData<GoalResult | ReportJob>(
        api.POST('/v2/leadpulse/goals/{id}/report', { params: { path: { id } }, body, signal }),
      );
      return completed(api, report, isGoalResult, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs,
  });
}

export function useCreateGoal() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewGoal) => responseData(api.POST('/v2/leadpulse/goals', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: goalsKey }),
  });
}

export function useDeleteGoal({ id }: Goal) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/leadpulse/goals/{id}', { params: { path: { id } } })),
    // Not awaited, so that the caller's callbacks run before its row unmounts.
    onSuccess: () => void queries.invalidateQueries({ queryKey: goalsKey }),
  });
}

const liveKey = [...root, 'live'];
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

/** All sessions of a visitor, page by page. */
export function useSessions(id: string) {
  const api = useApi();
  return useList({
    queryKey: [...root, 'visitor', id, 'sessions'],
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/visitors/{id}/sessions', { params: { path: { id }, query: at }, signal })),
  });
}

/** All events of a visitor, page by page. */
export function useEvents(visitor: string) {
  const api = useApi();
  return useList({
    queryKey: [...root, 'visitor', visitor, 'events'],
    page: (at, signal) => responseData(api.GET('/v2/leadpulse/events', { params: { query: { visitor, include: 'bots', ...at } }, signal })),
  });
}

const settingsKey = [...root, 'settings'];

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

export function useDeleteVisitor(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/leadpulse/visitors/{id}', { params: { path: { id } } })),
    onSuccess: () => void queries.invalidateQueries({ queryKey: [...root, 'visitors'] }),
  });
}

/** The channel and source of a touch. */
export const touchLabel = (touch: Visitor['first_touch']) =>
  touch && [valueText('channel', touch.channel), ...(touch.source === touch.channel ? [] : [touch.source])].filter(Boolean).join(', ');
