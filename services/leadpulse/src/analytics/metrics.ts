import { z } from 'zod';
import { amountsOf, Money } from '../events/money.ts';
import { Quotient, quotient } from '../reports/quotient.ts';
import type { Counters } from '../rollups/rollup.ts';
import type { Estimate } from '../rollups/sample.ts';

/** The metrics of an interval, a value of a dimension, or both. Null means that the metric is not available there. */
export const Metrics = z.object({
  visitors: z.number().int().nullable().describe('Distinct visitors; null where they are not counted.'),
  visitors_error: z
    .number()
    .nullable()
    .describe(
      'The relative standard error of `visitors`: 0 if the count is exact; 0.01 means an estimate that is rarely off by more than 2%.',
    ),
  sessions: z.number().int().nullable().describe('Sessions; null where they are not counted.'),
  pageviews: z.number().int().describe('Page views.'),
  events: z.number().int().describe('Events, including page views.'),
  bounce_rate: Quotient.nullable().describe('The share of sessions with at most one page view and no custom event.'),
  average_session_seconds: Quotient.nullable().describe(
    'The time between the first and last event of a session, averaged over all sessions.',
  ),
  pageviews_per_session: Quotient.nullable().describe('Page views per session.'),
  revenue: z.array(Money).describe('The total `value` of events, by currency.'),
});

type Known = { visitors: Estimate | null; sessions?: null };

export function metricsOf({ events, pageviews, sessions, bounces, duration_ms, values }: Counters, known: Known): z.input<typeof Metrics> {
  const ofSessions = known.sessions === null ? null : sessions;
  const perSession = (numerator: number) => (ofSessions === null ? null : quotient(numerator, ofSessions));
  return {
    visitors: known.visitors?.count ?? null,
    visitors_error: known.visitors?.error ?? null,
    sessions: ofSessions,
    pageviews,
    events,
    bounce_rate: perSession(bounces),
    average_session_seconds: perSession(duration_ms / 1_000),
    pageviews_per_session: perSession(pageviews),
    revenue: amountsOf(values),
  };
}
