import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { EventName } from '../events/event-body.ts';
import type { EventsStore } from '../events/events-store.ts';
import { QueryFilter } from '../reports/query-filter.ts';
import { ReportWarning, retentionWarnings } from '../reports/report-warning.ts';
import { maxEventsNow } from '../reports/run-report.ts';
import { type Counters, dimensions, isSessionDimension, plus, sessionDimensions } from '../rollups/rollup.ts';
import type { RollupsStore } from '../rollups/rollups-store.ts';
import { type Bound, type Estimate, estimateOf, exactly, levelFor } from '../rollups/sample.ts';
import type { VisitorDaysStore } from '../rollups/visitor-days-store.ts';
import type { SessionsStore } from '../sessions/sessions-store.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { type ComparisonKind, comparisonKinds, comparisonRange } from '../time/comparison-range.ts';
import { quarterMs } from '../time/quarters.ts';
import { type AnalyticsRange, bucketNumbers, Interval, rangeOf, rangeQuery } from '../time/range.ts';
import { countVisitors, intervalBound, rangeBound } from './count-visitors.ts';
import { readFiltered } from './filtered-analytics.ts';
import { Metrics, metricsOf } from './metrics.ts';
import { visitorsByEvent } from './visitors-by-event.ts';

const By = z.enum(dimensions).exclude(['all']);

const FilterText = z
  .string()
  .max(4_000)
  .transform((text, context) => {
    const filter = QueryFilter.safeParse(jsonOf(text));
    if (filter.success) return filter.data;
    const message = 'expected JSON such as {"dimension":"country","op":"eq","value":"DE"}; see POST /v2/leadpulse/query';
    context.addIssue({ code: 'custom', message, params: { code: 'invalid_filter' } });
    return z.NEVER;
  });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const AnalyticsQuery = z.strictObject({
  ...rangeQuery,
  by: By.optional().describe('Break the totals down by this dimension.'),
  event: EventName.optional().describe('Count only events with this name.'),
  compare: z
    .enum(comparisonKinds)
    .optional()
    .describe('Also count an earlier range: `previous`, of the same length before; or `year`, the same one a year earlier.'),
  filter: FilterText.optional().describe(
    'Count only the events that a filter selects: JSON in the form of `filter` in `POST /v2/leadpulse/query`. All metrics then count at the time of the event.',
  ),
  include: z.literal('bots').optional().describe('`bots`: also count events from bots.'),
});

const moment = z.iso.datetime();

const Series = z
  .array(
    Metrics.extend({
      from: renamedFrom('start', moment.describe('The start of the interval, inclusive.')),
      to: renamedFrom('end', moment.describe('The end of the interval, exclusive.')),
    }),
  )
  .describe('The metrics of each interval.');

const Analytics = z
  .object({
    from: moment.describe('The start of the range, inclusive.'),
    to: moment.describe('The end of the range, exclusive.'),
    timezone: z.string().describe('The time zone of the intervals.'),
    interval: Interval.describe('The length of the intervals.'),
    event: z.string().nullable().describe('The event that is counted; null for all events.'),
    include_bots: z.boolean().describe('Whether events from bots are counted.'),
    as_of: moment.describe('Every event received before this time is counted.'),
    totals: Metrics.describe('The metrics of the whole range.'),
    series: Series,
    comparison: z
      .object({
        from: moment.describe('The start of the earlier range, inclusive.'),
        to: moment.describe('The end of the earlier range, exclusive.'),
        totals: Metrics.describe('The metrics of the earlier range.'),
        series: Series,
      })
      .nullable()
      .describe('An earlier range to compare with; null without `compare`.'),
    breakdown: z
      .object({
        by: By.describe('The dimension.'),
        items: z
          .array(Metrics.extend({ value: z.string().describe('The value of the dimension.') }))
          .describe('The metrics of each value, largest first.'),
        truncated: z.boolean().describe('Whether there are more values than the largest ones listed here.'),
      })
      .nullable()
      .describe('The totals by value of a dimension; null without `by`.'),
    warnings: z.array(ReportWarning).describe('Why the response is not complete; empty if it is.'),
  })
  .meta({ id: 'Analytics' });

const maxValues = 100;

/** The maximum number of sessions that are read to count the visitors of each value. */
const sessionsBound: Bound = { exact: 50_000, sampled: 8_000 };

const written = ({ exact }: Bound) => exact.toLocaleString('en');

type Stores = {
  rollups: RollupsStore;
  visitorDays: VisitorDaysStore;
  sessions: SessionsStore;
  events: EventsStore;
  settings: Pick<SettingsStore, 'cached'>;
};
type By = z.infer<typeof By>;

export function getAnalytics(app: Server, stores: Stores, breakdownBound: Bound = sessionsBound) {
  app.get(
    '/v2/leadpulse/analytics',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getLeadpulseAnalytics',
        summary: 'Get website analytics',
        description:
          'Events and page views count at the time they happened, sessions at their start time. A visitor counts once in the range and once in each ' +
          'interval. Visitors per hour or day are exact in every time zone, except for days of 23.5 or 24.5 hours (Lord Howe Island). ' +
          `Visitors of the whole range are exact up to ${written(rangeBound)} visitor-days (one visitor on one UTC day), those of other intervals ` +
          `up to ${written(intervalBound)}, and those of a breakdown up to ${written(sessionsBound)} sessions in the range. Beyond that they are ` +
          'estimated from a sample, and `visitors_error` is the relative standard error. In a breakdown by channel, source, referrer, UTM ' +
          'parameter, country, device or browser, a session with all its events counts at its start time; by page, it counts for its entry page. ' +
          'The visitors of a breakdown are counted from stored sessions: they are null if the range begins before the retention in the settings, and deleted visitors are not among them. ' +
          `Those by page and by event, and with \`event\`, are counted from stored events, and also null if there are more than ${maxEventsNow.toLocaleString('en')} in the range; ` +
          '`POST /v2/leadpulse/query` counts them as a job. ' +
          'Amounts in different currencies are never added together.',
        querystring: AnalyticsQuery,
        response: { 200: success(Analytics) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { by, event, timezone, interval, compare, filter } = request.query;
      if (by && event !== undefined) throw invalid('/query/by', 'unsupported_combination', 'Use event or by, not both.');
      const bots = request.query.include === 'bots';
      const range = rangeOf(request.query);
      const earlier = compare && earlierRange(range, compare, request.query);
      /** Ranges that are not counted in advance. */
      const stored = filter || event !== undefined ? [range, ...(earlier ? [earlier] : [])] : by !== undefined ? [range] : [];
      const warnings = stored.length === 0 ? [] : retentionWarnings(await stores.settings.cached(accountId), stored);
      if (filter) {
        if (event !== undefined) throw invalid('/query/event', 'unsupported_combination', 'With filter, use a condition on event.');
        const oldest = await stores.events.oldestPending(accountId);
        const { items, truncated, ...counted } = await readFiltered(stores, accountId, {
          ...{ ...bounds(range), timezone, interval, compare, filter, include_bots: bots },
          dimensions: by === undefined ? [] : [by],
          order: by === 'page' ? '-pageviews' : by === 'event' ? '-events' : '-sessions',
          limit: maxValues,
        });
        const breakdown = by === undefined ? null : { by, items, truncated };
        const as_of = (oldest ?? new Date()).toISOString();
        return {
          success: true as const,
          data: { ...{ timezone, interval, ...counted, breakdown, ...bounds(range), as_of, warnings }, event: null, include_bots: bots },
        };
      }
      const read = (of: AnalyticsRange) =>
        event === undefined
          ? readAll(stores, accountId, of, bots)
          : readEvent(stores, accountId, { event, range: of, bots, isStored: warnings.length === 0 });
      const [oldest, [totals, series], compared] = await Promise.all([
        stores.events.oldestPending(accountId),
        read(range),
        earlier && read(earlier),
      ]);
      const comparison = earlier && compared && { ...bounds(earlier), totals: compared[0], series: compared[1] };
      const breakdown =
        by === undefined
          ? null
          : await readBreakdown(stores, accountId, {
              ...{ by, range, bots },
              level: levelFor(totals.sessions ?? 0, breakdownBound),
              isStored: warnings.length === 0,
            });
      return {
        success: true as const,
        data: {
          ...{ timezone, interval, totals, series, breakdown, warnings },
          comparison: comparison ?? null,
          ...bounds(range),
          event: event ?? null,
          include_bots: bots,
          as_of: (oldest ?? new Date()).toISOString(),
        },
      };
    },
  );
}

const bounds = ({ from, to }: AnalyticsRange) => ({ from: from.toISOString(), to: to.toISOString() });

/** The range to compare with, in intervals of the same length. */
function earlierRange(range: AnalyticsRange, kind: ComparisonKind, { timezone, interval }: { timezone: string; interval: Interval }) {
  const { from, to } = comparisonRange(range, kind, timezone);
  return rangeOf({ from: from.toISOString(), to: to.toISOString(), timezone, interval });
}

const nothing: Counters = { events: 0, pageviews: 0, sessions: 0, bounces: 0, duration_ms: 0, values: {} };

/** The counters of one value in each interval of the range, and their total. */
async function readSeries(
  { rollups }: Stores,
  accountId: AccountId,
  { value, range, bots }: { value: { dimension: 'all' | 'event'; value: string }; range: AnalyticsRange; bots: boolean },
) {
  const wholeDays = range.buckets.every(({ start, end }) => start.getTime() % dayOf(1) === 0 && end.getTime() % dayOf(1) === 0);
  const rows = await rollups.series(accountId, {
    dimension: value.dimension,
    value: value.value,
    range,
    grain: wholeDays ? 'day' : 'quarter',
    bots,
  });
  const numbers = bucketNumbers(range);
  const counted = range.buckets.map(() => nothing);
  for (const { at, counters } of rows) {
    const number = numbers[(at.getTime() - range.from.getTime()) / quarterMs];
    const before = number === undefined ? undefined : counted[number];
    if (number !== undefined && before) counted[number] = plus(before, counters);
  }
  return { counted, total: counted.reduce((sum, counters) => plus(sum, counters), nothing) };
}

const dayOf = (days: number) => days * 96 * quarterMs;

const timesOf = ({ start, end }: { start: Date; end: Date }) => ({ from: start.toISOString(), to: end.toISOString() });

async function readAll(stores: Stores, accountId: AccountId, range: AnalyticsRange, bots: boolean) {
  const { counted, total } = await readSeries(stores, accountId, { value: { dimension: 'all', value: '' }, range, bots });
  const visitors = await countVisitors(stores.visitorDays, accountId, { range, bots });
  const series = range.buckets.map((bucket, number) => ({
    ...timesOf(bucket),
    ...metricsOf(counted[number] ?? nothing, { visitors: visitors.series[number] ?? exactly(0) }),
  }));
  return [metricsOf(total, { visitors: visitors.total }), series] as const;
}

/** The metrics of one event: without sessions, which are not counted by event. */
async function readEvent(
  stores: Stores,
  accountId: AccountId,
  { event, range, bots, isStored }: { event: string; range: AnalyticsRange; bots: boolean; isStored: boolean },
) {
  const [{ counted, total }, seen] = await Promise.all([
    readSeries(stores, accountId, { value: { dimension: 'event', value: event }, range, bots }),
    isStored ? visitorsByEvent(stores, accountId, { by: 'event', values: [event], range, bots }) : undefined,
  ]);
  const only = (visitors: Estimate | null) => ({ visitors, sessions: null });
  const series = range.buckets.map((bucket, number) => ({
    ...timesOf(bucket),
    ...metricsOf(counted[number] ?? nothing, only(seen ? exactly(seen.inBucket(number)) : null)),
  }));
  return [metricsOf(total, only(seen ? exactly(seen.of(event)) : null)), series] as const;
}

async function readBreakdown(
  stores: Stores,
  accountId: AccountId,
  { by, range, bots, level, isStored }: { by: By; range: AnalyticsRange; bots: boolean; level: number; isStored: boolean },
) {
  const { rollups, sessions } = stores;
  const order = by === 'page' ? 'pageviews' : by === 'event' ? 'events' : 'sessions';
  const found = await rollups.byValue(accountId, { dimension: by, range, bots, order, limit: maxValues + 1 });
  const rows = found.slice(0, maxValues).filter(({ counters }) => counters.events !== 0 || counters.sessions !== 0);
  const values = rows.map(({ value }) => value);
  const visitors = isStored ? await visitorsOf() : undefined;

  /** Counts the visitors of each value. */
  async function visitorsOf() {
    if (!isSessionDimension(by)) {
      const seen = await visitorsByEvent(stores, accountId, { by, values, range, bots });
      return seen && ((value: string) => exactly(seen.of(value)));
    }
    const seen = await sessions.visitorsBy(accountId, { member: sessionDimensions[by], values, range, bots, level });
    return (value: string, { sessions: most }: Counters) => estimateOf(seen.get(value) ?? 0, level, { least: Math.min(1, most), most });
  }

  const items = rows.map(({ value, counters }) => ({
    value,
    ...metricsOf(counters, { visitors: visitors?.(value, counters) ?? null, ...(by === 'event' ? { sessions: null } : {}) }),
  }));
  return { by, items, truncated: found.length > maxValues };
}
