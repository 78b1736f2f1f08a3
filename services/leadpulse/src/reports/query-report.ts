import { invalid } from '@mp/contracts/errors';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { AccountId } from '@mp/ids';
import { z } from 'zod';
import { comparisonKinds, comparisonRange } from '../time/comparison-range.ts';
import { quarterMs } from '../time/quarters.ts';
import { type AnalyticsRange, bucketNumbers, Interval, rangeOf } from '../time/range.ts';
import { createMetricsCounter, type MetricsCounter, metrics, orderNumber, QueryMetrics } from './count-metrics.ts';
import { type SessionEventStores, withSessions } from './events-with-sessions.ts';
import { QueryDimension, sessionEventValue } from './query-dimension.ts';
import { dimensionsOf, filterHolds, QueryFilter } from './query-filter.ts';
import { asRun, reportFields, reportRange, resultFields } from './report-range.ts';

const maxRows = 1_000;
const maxGroups = 50_000;

const sortable = metrics.filter((name) => name !== 'revenue');

export const QueryBody = z.strictObject({
  ...reportFields,
  metrics: z.array(z.enum(metrics)).min(1).max(metrics.length).describe('What is counted.'),
  dimensions: z.array(QueryDimension).max(2).default([]).describe('Also count each combination of the values of these dimensions.'),
  filter: QueryFilter.optional().describe('Count only the events that it selects.'),
  interval: Interval.optional().describe('Also count each interval of this length.'),
  compare: z
    .enum(comparisonKinds)
    .optional()
    .describe('Also count an earlier range: `previous`, of the same length before; or `year`, the same one a year earlier.'),
  order: z
    .enum(sortable.flatMap((name) => [name, `-${name}`] as const))
    .default('-events')
    .describe('The order of the rows; `-` means descending.'),
  limit: z.number().int().min(1).max(maxRows).default(100).describe('The maximum number of rows.'),
});
export type QueryBody = z.output<typeof QueryBody>;

const moment = z.iso.datetime();
const previous = QueryMetrics.nullable().describe('The metrics of the earlier range; null without `compare`.');

export const QueryResult = z
  .object({
    ...resultFields,
    query: QueryBody.omit({ background: true }).describe(asRun),
    compared_with: z
      .object({ from: moment.describe('The start, inclusive.'), to: moment.describe('The end, exclusive.') })
      .nullable()
      .describe('The earlier range; null without `compare`.'),
    totals: QueryMetrics.describe('The metrics of the whole range.'),
    previous_totals: previous,
    series: z
      .array(
        z.object({
          from: renamedFrom('start', moment.describe('The start of the interval, inclusive.')),
          to: renamedFrom('end', moment.describe('The end of the interval, exclusive.')),
          metrics: QueryMetrics.describe('The metrics of the interval.'),
          previous: previous.describe('The metrics of the interval at the same position in the earlier range; null if there is none.'),
        }),
      )
      .nullable()
      .describe('The metrics of each interval; null without `interval`.'),
    rows: z
      .array(
        z.object({
          values: z.array(z.string().nullable()).describe('The values of the dimensions, in the same order; null for none.'),
          metrics: QueryMetrics.describe('The metrics of these values.'),
          previous,
        }),
      )
      .nullable()
      .describe('The metrics of each combination of values; null without `dimensions`.'),
    truncated: z.boolean().describe('Whether there are more rows than `limit`.'),
  })
  .meta({ id: 'QueryResult' });

/** Throws VALIDATION_ERROR beyond the bound of memory; `at` is where the dimensions are in the request. */
export function requireGroups(count: number, at: string) {
  if (count > maxGroups) throw invalid(at, 'too_many_values', `There are more than ${maxGroups} combinations of values; use a filter.`);
}

type Counted = { totals: MetricsCounter; series: MetricsCounter[]; rows: Map<string, MetricsCounter> };

/** The ranges of a query: the requested one, and the one to compare with. */
export function queryRanges(body: QueryBody, now?: Date): AnalyticsRange[] {
  const range = reportRange(body, body.interval, now);
  if (body.compare === undefined) return [range];
  const { from, to } = comparisonRange(range, body.compare, body.timezone);
  const requestedRange = {
    from: from.toISOString(),
    to: to.toISOString(),
    timezone: body.timezone,
    interval: body.interval ?? ('month' as const),
  };
  return [range, rangeOf(requestedRange, now, '')];
}

/** Runs a query over one or two ranges. */
export async function runQuery(
  stores: SessionEventStores,
  accountId: AccountId,
  { body, ranges, onEvent }: { body: QueryBody; ranges: readonly AnalyticsRange[]; onEvent: () => void },
) {
  const [current, earlier] = await Promise.all(
    [0, 1].map((index) => countRange(stores, accountId, { body, range: ranges[index], onEvent })),
  );
  if (!current) throw new Error('A query needs a range.');
  const [range, other] = ranges;
  const by = body.order.replace(/^-/, '');
  const metric = metrics.find((name) => name === by) ?? 'events';
  const sign = body.order.startsWith('-') ? -1 : 1;
  const ordered = [...current.rows]
    .map(([key, counter]) => ({ key, counter, number: orderNumber(counter.view([metric]), metric) }))
    .sort((a, b) => sign * (a.number - b.number) || (a.key < b.key ? -1 : 1));
  const before = (counter: MetricsCounter | undefined) => (other ? (counter ?? createMetricsCounter()).view(body.metrics) : null);
  return {
    compared_with: other ? { from: other.from.toISOString(), to: other.to.toISOString() } : null,
    totals: current.totals.view(body.metrics),
    previous_totals: before(earlier?.totals),
    series:
      body.interval === undefined
        ? null
        : (range?.buckets ?? []).map(({ start, end }, index) => ({
            from: start.toISOString(),
            to: end.toISOString(),
            metrics: (current.series[index] ?? createMetricsCounter()).view(body.metrics),
            previous: earlier?.series[index]?.view(body.metrics) ?? null,
          })),
    rows:
      body.dimensions.length === 0
        ? null
        : ordered.slice(0, body.limit).map(({ key, counter }) => ({
            values: JSON.parse(key),
            metrics: counter.view(body.metrics),
            previous: before(earlier?.rows.get(key)),
          })),
    truncated: ordered.length > body.limit,
  };
}

async function countRange(
  stores: SessionEventStores,
  accountId: AccountId,
  {
    body: { dimensions, filter, interval, include_bots },
    range,
    onEvent,
  }: { body: QueryBody; range: AnalyticsRange | undefined; onEvent: () => void },
): Promise<Counted | undefined> {
  if (!range) return undefined;
  const numbers = bucketNumbers(range);
  const selects = filter ? filterHolds(filter) : () => true;
  const read = dimensions.map(sessionEventValue);
  const counted: Counted = { totals: createMetricsCounter(), series: range.buckets.map(createMetricsCounter), rows: new Map() };
  const named = [...dimensions, ...(filter ? dimensionsOf(filter) : [])];
  for await (const sessionEvent of withSessions(stores, accountId, {
    from: range.from,
    to: range.to,
    bots: include_bots,
    dimensions: named,
  })) {
    onEvent();
    if (!selects(sessionEvent)) continue;
    counted.totals.add(sessionEvent);
    if (interval !== undefined) {
      const bucket = numbers[Math.floor((sessionEvent.event.time.getTime() - range.from.getTime()) / quarterMs)];
      if (bucket !== undefined) counted.series[bucket]?.add(sessionEvent);
    }
    if (read.length === 0) continue;
    const key = JSON.stringify(read.map((value) => value(sessionEvent)));
    const row = counted.rows.get(key) ?? createMetricsCounter();
    counted.rows.set(key, row);
    row.add(sessionEvent);
    requireGroups(counted.rows.size, '/dimensions');
  }
  return counted;
}
