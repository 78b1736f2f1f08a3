import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { z } from 'zod';
import { metrics, type QueryMetrics } from '../reports/count-metrics.ts';
import type { SessionEventStores } from '../reports/events-with-sessions.ts';
import { QueryBody, queryRanges, runQuery } from '../reports/query-report.ts';
import { reportSize } from '../reports/report-kinds.ts';
import { maxEventsNow } from '../reports/run-report.ts';
import type { Metrics } from './metrics.ts';

/** The metrics of events that a filter selects. They are read from the events, because rollups do not combine dimensions. */
export async function readFiltered(stores: SessionEventStores, accountId: AccountId, query: Omit<z.input<typeof QueryBody>, 'metrics'>) {
  const body = QueryBody.parse({ ...query, metrics });
  const ranges = queryRanges(body);
  const queries = ranges.map(({ from, to }) => ({ from, to, bots: body.include_bots }));
  if ((await reportSize(stores, accountId, queries, maxEventsNow + 1)) > maxEventsNow)
    throw invalid(
      '/query/filter',
      'too_many_events',
      `With a filter, at most ${maxEventsNow} events are read; use a shorter range, or POST /v2/leadpulse/query, which runs as a job.`,
    );
  const { totals, series, rows, truncated, previous_totals } = await runQuery(stores, accountId, {
    body,
    ranges,
    onEvent: () => undefined,
  });
  const times = ({ from, to }: { from: string; to: string }) => ({ from, to });
  const [, earlier] = ranges;
  return {
    totals: whole(totals),
    series: (series ?? []).map((item) => ({ ...times(item), ...whole(item.metrics) })),
    comparison:
      earlier && previous_totals
        ? {
            from: earlier.from.toISOString(),
            to: earlier.to.toISOString(),
            totals: whole(previous_totals),
            series: earlier.buckets.map(({ start, end }, index) => ({
              from: start.toISOString(),
              to: end.toISOString(),
              ...whole(series?.[index]?.previous ?? {}),
            })),
          }
        : null,
    items: (rows ?? []).flatMap(({ values: [value], metrics: found }) => (typeof value === 'string' ? [{ value, ...whole(found) }] : [])),
    truncated,
  };
}

const noSessions = { value: null, numerator: 0, denominator: 0 };

const whole = (found: QueryMetrics): z.input<typeof Metrics> => ({
  visitors: found.visitors ?? 0,
  visitors_error: 0,
  sessions: found.sessions ?? 0,
  pageviews: found.pageviews ?? 0,
  events: found.events ?? 0,
  bounce_rate: found.bounce_rate ?? noSessions,
  average_session_seconds: found.average_session_seconds ?? noSessions,
  pageviews_per_session: found.pageviews_per_session ?? noSessions,
  revenue: found.revenue ?? [],
});
