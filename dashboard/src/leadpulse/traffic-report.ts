import { accountZone } from '../time/zone.ts';
import { filterOf } from './leadpulse.ts';
import { comparisonOf, defaultDays, dimensions, rangeOf, ranges, type TrafficSearch, trafficSearch } from './leadpulse-search.ts';
import type { NewSavedReport, SavedReport } from './use-saved-reports.ts';

/** A view of the traffic page as a saved report: its range, comparison and filters. */
export function reportOf(name: string, search: TrafficSearch): NewSavedReport {
  const { from, to, days = defaultDays } = search;
  const compare = comparisonOf(search);
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
  return trafficSearch({ days, from, to, compare: compare ?? 'none', ...Object.fromEntries(filters.flatMap((one) => (one ? [one] : []))) });
}
