import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type BodyOf, responseData, useApi } from '../api/api.ts';
import type { components, paths } from '../api/schema.d.ts';
import { useList } from '../lists/use-list.ts';
import { useWholeList } from '../lists/use-whole-list.ts';
import { accountZone } from '../time/zone.ts';
import { filterOf } from './leadpulse.ts';
import { defaultDays, dimensions, rangeOf, ranges, type TrafficSearch, trafficSearch } from './leadpulse-search.ts';

export type SavedReport = components['schemas']['SavedReport'];
export type NewSavedReport = BodyOf<paths['/v2/leadpulse/saved-reports']['post']>;

/** A view of the traffic page as a saved report: its range, comparison and filters. */
export function reportOf(name: string, search: TrafficSearch): NewSavedReport {
  const { from, to, compare, days = defaultDays } = search;
  const filter = filterOf(search);
  const range = from !== undefined && to !== undefined ? { from, to } : undefined;
  return {
    name,
    days: range ? null : days,
    report: {
      kind: 'query',
      request: {
        metrics: ['visitors', 'sessions', 'pageviews'],
        interval: rangeOf(search).interval,
        timezone: accountZone(),
        ...range,
        ...(compare && { compare }),
        ...(filter && { filter }),
      },
    },
  };
}

/** The view of the traffic page that shows a saved report; undefined if the page cannot show it. */
export function viewOf({ days, report }: Pick<SavedReport, 'days' | 'report'>): TrafficSearch | undefined {
  if (report.kind !== 'query') return undefined;
  const { from, to, compare, filter } = report.request;
  if (typeof days === 'number' && !ranges.some((range) => range === days)) return undefined;
  const conditions = filter === undefined ? [] : 'all' in filter ? filter.all : undefined;
  const filters = conditions?.map((one) =>
    'dimension' in one && one.op === 'eq' && Object.hasOwn(dimensions, one.dimension) ? [one.dimension, one.value] : undefined,
  );
  if (!filters || filters.includes(undefined)) return undefined;
  return trafficSearch({ days, from, to, compare, ...Object.fromEntries(filters.flatMap((one) => (one ? [one] : []))) });
}

const listed = ['leadpulse', 'saved-reports'];

/** The saved reports that a page can show, each with what the page then shows. */
export function useSavedReports<Search>(searchOf: (report: SavedReport) => Search | undefined) {
  const api = useApi();
  const { rows, error } = useWholeList(
    useList({
      queryKey: listed,
      page: (at, signal) => responseData(api.GET('/v2/leadpulse/saved-reports', { params: { query: at }, signal })),
    }),
  );
  const views = rows.flatMap((report) => {
    const search = searchOf(report);
    return search ? [{ report, search }] : [];
  });
  return { views, error };
}

export function useSave() {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wanted: NewSavedReport) => responseData(api.POST('/v2/leadpulse/saved-reports', { body: wanted })),
    onSuccess: () => queries.invalidateQueries({ queryKey: listed }),
  });
}

export function useDeleteSaved(id: string) {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => responseData(api.DELETE('/v2/leadpulse/saved-reports/{id}', { params: { path: { id } } })),
    // Not awaited, so that the caller's callbacks run before its button unmounts.
    onSuccess: () => void queries.invalidateQueries({ queryKey: listed }),
  });
}
