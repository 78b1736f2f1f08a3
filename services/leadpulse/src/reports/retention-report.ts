import { renamedFrom } from '@mp/contracts/renamed-from';
import { z } from 'zod';
import type { ReportEvent } from '../events/report-events.ts';
import { quarterMs } from '../time/quarters.ts';
import { type AnalyticsRange, bucketNumbers } from '../time/range.ts';
import { EventMatch, matcherOf, namesOf } from './event-match.ts';
import { asRun, ReportInterval, reportFields, reportRange, resultFields, Share, shareOf } from './report-range.ts';

const maxIntervals = 60;

export const RetentionBody = z.strictObject({
  ...reportFields,
  first: EventMatch.describe('The event that a person starts with. The first one in the range decides the cohort.'),
  returning: EventMatch.describe('The event with which a person returns.'),
  interval: ReportInterval.default('week').describe('The length of the cohorts and periods.'),
});
export type RetentionBody = z.output<typeof RetentionBody>;

const moment = z.iso.datetime();

export const RetentionResult = z
  .object({
    ...resultFields,
    query: RetentionBody.omit({ background: true }).describe(asRun),
    interval: ReportInterval.describe('The length of the cohorts and periods.'),
    cohorts: z
      .array(
        z.object({
          from: renamedFrom('start', moment.describe('The start of the interval, inclusive.')),
          to: renamedFrom('end', moment.describe('The end of the interval, exclusive.')),
          people: z.number().int().describe('The people whose first event is in the interval.'),
          periods: z
            .array(
              z.object({
                period: z.number().int().describe('The number of intervals since that of the cohort, from 0.'),
                returned: Share.describe('The share of the cohort that returned in the period, after its first event.'),
                complete: z.boolean().describe('Whether the period is over; otherwise the share can still rise.'),
              }),
            )
            .describe('The periods from the interval of the cohort to the end of the range.'),
        }),
      )
      .describe('One per interval of the range.'),
  })
  .meta({ id: 'RetentionResult' });

/** Counts who returned, over events sorted by person and time. */
export function startRetention({ first, returning, interval }: RetentionBody, range: AnalyticsRange, now = new Date()) {
  const { buckets, from } = range;
  const numbers = bucketNumbers(range);
  const [isFirst, isReturn] = [matcherOf(first), matcherOf(returning)];
  const people = buckets.map(() => 0);
  const returned = buckets.map((_, cohort) => buckets.slice(cohort).map(() => 0));
  let person: string | undefined;
  let cohort: number | undefined;
  let seen = -1;

  return {
    add(event: ReportEvent) {
      if (event.person !== person) {
        person = event.person;
        cohort = undefined;
        seen = -1;
      }
      const bucket = numbers[Math.floor((event.time.getTime() - from.getTime()) / quarterMs)];
      if (bucket === undefined) return;
      if (cohort === undefined) {
        if (!isFirst(event)) return;
        cohort = bucket;
        people[cohort] = (people[cohort] ?? 0) + 1;
        return;
      }
      // Events are in order, so a person is counted in each period by its first event there.
      const counts = returned[cohort];
      if (bucket === seen || !counts || !isReturn(event)) return;
      seen = bucket;
      counts[bucket - cohort] = (counts[bucket - cohort] ?? 0) + 1;
    },

    result: () => ({
      interval,
      cohorts: buckets.map(({ start, end }, index) => ({
        from: start.toISOString(),
        to: end.toISOString(),
        people: people[index] ?? 0,
        periods: (returned[index] ?? []).map((count, period) => ({
          period,
          returned: shareOf(count, people[index] ?? 0),
          complete: (buckets[index + period]?.end ?? now) <= now,
        })),
      })),
    }),
  };
}

export function retentionQuery(body: RetentionBody, now?: Date) {
  const range = reportRange(body, body.interval, now);
  return { range, names: namesOf([body.first, body.returning]), tooMany: range.buckets.length > maxIntervals ? maxIntervals : undefined };
}
