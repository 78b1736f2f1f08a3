import type { VisitorId } from '@mp/ids';
import { z } from 'zod';
import { amountsOf, Money } from '../events/money.ts';
import { durationMs, isBounce } from '../sessions/session.ts';
import type { SessionEvent } from './query-dimension.ts';
import { Quotient, quotient } from './quotient.ts';

/** The metrics of a query; those that were not requested are missing. */
const all = {
  visitors: z.number().int().describe('Distinct visitors with a matching event.'),
  sessions: z.number().int().describe('Sessions with a matching event.'),
  pageviews: z.number().int().describe('Matching page views.'),
  events: z.number().int().describe('Matching events, including page views.'),
  bounce_rate: Quotient.describe('The share of these sessions that bounced.'),
  average_session_seconds: Quotient.describe('The average duration of these sessions.'),
  pageviews_per_session: Quotient.describe('Matching page views per session.'),
  revenue: z.array(Money).describe('The total value of matching events, by currency.'),
};

export const QueryMetrics = z.object(all).partial().meta({ id: 'QueryMetrics' });
export type QueryMetrics = z.output<typeof QueryMetrics>;

export type Metric = keyof typeof all;
const isMetric = (name: string): name is Metric => Object.hasOwn(all, name);
export const metrics = Object.keys(all).filter(isMetric);

/** Counts events that are sorted by visitor, so that the state of one visitor suffices to count visitors and sessions once. */
export function createMetricsCounter() {
  const counts = { visitors: 0, sessions: 0, pageviews: 0, events: 0, bounces: 0, duration_ms: 0 };
  const values: Record<string, number> = {};
  let visitor: VisitorId | undefined;
  let seen = new Set<string>();

  return {
    add({ event, session }: SessionEvent) {
      if (event.visitor !== visitor) {
        visitor = event.visitor;
        seen = new Set();
        counts.visitors += 1;
      }
      counts.events += 1;
      if (event.name === '$pageview') counts.pageviews += 1;
      if (event.value) values[event.value.currency] = (values[event.value.currency] ?? 0) + event.value.units;
      if (!session || seen.has(session.id)) return;
      seen.add(session.id);
      counts.sessions += 1;
      counts.bounces += isBounce(session) ? 1 : 0;
      counts.duration_ms += durationMs(session);
    },

    view(wanted: readonly Metric[]): QueryMetrics {
      const { bounces, duration_ms, ...plain } = counts;
      const every = {
        ...plain,
        bounce_rate: quotient(bounces, counts.sessions),
        average_session_seconds: quotient(duration_ms / 1_000, counts.sessions),
        pageviews_per_session: quotient(counts.pageviews, counts.sessions),
        revenue: amountsOf(values),
      };
      return Object.fromEntries(wanted.map((name) => [name, every[name]]));
    },
  };
}

export type MetricsCounter = ReturnType<typeof createMetricsCounter>;

/** The number by which rows are ordered. */
export function orderNumber(metrics: QueryMetrics, by: Metric): number {
  const value = metrics[by];
  if (typeof value === 'number') return value;
  return value !== undefined && 'denominator' in value ? (value.value ?? -1) : 0;
}
