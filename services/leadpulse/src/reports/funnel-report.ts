import { Window, windowMs } from '@mp/rules/duration';
import { z } from 'zod';
import type { ReportEvent } from '../events/report-events.ts';
import type { StoredSession } from '../sessions/session.ts';
import { type Attempt, createFunnelEvaluator, medianOf } from './evaluate-funnel.ts';
import { EventMatch, matcherOf, namesOf } from './event-match.ts';
import { QueryDimension, sessionEventValue } from './query-dimension.ts';
import { requireGroups } from './query-report.ts';
import { asRun, reportFields, reportRange, resultFields, Share, shareOf } from './report-range.ts';

const maxSteps = 10;
const orders = ['ordered', 'strict'] as const;
export const maxValues = 50;

export const funnelFields = {
  steps: z
    .array(EventMatch.safeExtend({ name: z.string().trim().min(1).max(100).optional().describe('A name for the step.') }))
    .min(2)
    .max(maxSteps)
    .describe('The steps, in order.'),
  window: Window.default('P30D').describe(
    'How long after the first step a person can reach the last one, as an ISO 8601 duration such as `P7D`.',
  ),
  order: z
    .enum(orders)
    .default('ordered')
    .describe(
      '`ordered`: other events may happen between the steps. `strict`: none may, except `$engagement`, `$identify` and `$session_end`; the report then reads all events in the range.',
    ),
};

export const FunnelBody = z.strictObject({
  ...reportFields,
  ...funnelFields,
  by: QueryDimension.optional().describe(
    "Also report the steps for each value of this dimension of the first step's event, or of its session.",
  ),
});
export type FunnelBody = z.output<typeof FunnelBody>;

const Step = z.object({
  step: z.number().int().describe('The number of the step, from 1.'),
  name: z.string().describe('The name of the step.'),
  people: z.number().int().describe('The people who reached the step.'),
  conversion: Share.describe('Of those who entered the funnel, the share that reached the step.'),
  conversion_from_previous: Share.describe('Of those who reached the previous step, the share that also reached this one.'),
  median_seconds: z
    .number()
    .nullable()
    .describe('The median time since the previous step; null for the first step, and if no person reached it.'),
});

export const FunnelResult = z
  .object({
    ...resultFields,
    query: FunnelBody.omit({ background: true }).describe(asRun),
    window: z.string().describe('The window of the funnel.'),
    order: z.enum(orders).describe('Whether other events may happen between the steps.'),
    steps: z.array(Step).describe('The steps, in order.'),
    breakdown: z
      .object({
        by: z.string().describe('The dimension.'),
        items: z
          .array(
            z.object({
              value: z.string().nullable().describe('The value; null if the event had none.'),
              steps: z.array(Step).describe('The steps.'),
            }),
          )
          .describe(`The ${maxValues} values with the most people who entered, the largest first.`),
        truncated: z.boolean().describe('Whether there are more values.'),
      })
      .nullable()
      .describe('The steps by value of a dimension; null without `by`.'),
  })
  .meta({ id: 'FunnelResult' });

/** The people and times of each step. */
type Counts = { people: number[]; seconds: number[][] };

export function startFunnel(body: FunnelBody) {
  const { steps, window, order, by } = body;
  const all = emptyCounts(steps.length);
  const byValue = new Map<string | null, Counts>();
  const value = by === undefined ? undefined : sessionEventValue(by);
  const sessions = new WeakMap<ReportEvent, StoredSession>();
  const funnel = createFunnelEvaluator({
    steps: steps.map(matcherOf),
    windowMs: windowMs(window),
    isStrict: order === 'strict',
    onPerson(attempt) {
      count(all, attempt);
      if (!value) return;
      const key = value({ event: attempt.entry, session: sessions.get(attempt.entry) });
      const counts = byValue.get(key) ?? emptyCounts(steps.length);
      byValue.set(key, counts);
      requireGroups(byValue.size, '/by');
      count(counts, attempt);
    },
  });
  const view = ({ people, seconds }: Counts) =>
    steps.map((step, index): z.output<typeof Step> => {
      const [reached = 0, entered = 0, before = reached] = [people[index], people[0], people[index - 1]];
      return {
        step: index + 1,
        name: step.name ?? step.event ?? step.page ?? '',
        people: reached,
        conversion: shareOf(reached, entered),
        conversion_from_previous: shareOf(reached, before),
        median_seconds: index === 0 ? null : medianOf(seconds[index] ?? []),
      };
    });

  return {
    /** `session` is needed only if the funnel is reported by a dimension of it. */
    add(event: ReportEvent, session?: StoredSession) {
      if (session) sessions.set(event, session);
      funnel.add(event);
    },
    result() {
      funnel.finish();
      const items = [...byValue]
        .sort(([a, one], [b, other]) => (other.people[0] ?? 0) - (one.people[0] ?? 0) || ((a ?? '') < (b ?? '') ? -1 : 1))
        .slice(0, maxValues)
        .map(([of, counts]) => ({ value: of, steps: view(counts) }));
      return { window, order, steps: view(all), breakdown: by === undefined ? null : { by, items, truncated: byValue.size > maxValues } };
    },
  };
}

const emptyCounts = (steps: number): Counts => ({ people: Array<number>(steps).fill(0), seconds: Array.from({ length: steps }, () => []) });

function count({ people, seconds }: Counts, { times }: Attempt) {
  times.forEach((at, index) => {
    people[index] = (people[index] ?? 0) + 1;
    if (index > 0) seconds[index]?.push((at - (times[index - 1] ?? at)) / 1_000);
  });
}

/** The names of the events that a funnel reads; all events if it is strict. */
export const namesRead = ({ steps, order }: Pick<FunnelBody, 'steps' | 'order'>) => (order === 'strict' ? undefined : namesOf(steps));

export const funnelQuery = (body: FunnelBody, now?: Date) => ({ range: reportRange(body, 'month', now), names: namesRead(body) });
