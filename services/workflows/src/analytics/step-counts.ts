import { z } from 'zod';
import { endKey, secondsOf, variantName } from '../counts/counter-keys.ts';
import type { Counters } from '../counts/counts-store.ts';

const Count = z.number().int();

const Seconds = z.number();

export const toGoalText = 'from the start of the run to the goal, in seconds: the median and other quantiles, each within a tenth';

/** How long runs took to convert. */
export const SecondsToGoal = z.object({ p50: Seconds, p75: Seconds, p90: Seconds }).meta({ id: 'SecondsToGoal' });

export const secondsToGoal = (counters: Counters): z.output<typeof SecondsToGoal> | null => {
  const quantile = quantiles(keyed(counters, 'to_goal'));
  return quantile && { p50: quantile(0.5), p75: quantile(0.75), p90: quantile(0.9) };
};

export const flowFields = {
  entered: Count.describe('How often a run reached the step.'),
  done: Count.describe('How often the step completed, or a branch was taken.'),
  skipped: Count.describe('How often the step was refused or failed.'),
  exited: Count.describe('How often a run ended while it was at the step: an exit, an exit condition, a goal or a cancellation.'),
  converted: Count.describe('How often this goal was reached.'),
  seconds_to_goal: SecondsToGoal.nullable().describe(`The time ${toGoalText}; null if this goal was not reached.`),
};

/** What a step counts that only grows. */
export const flowOf = (counters: Counters) => ({
  entered: numberOf(counters, 'entered'),
  done: numberOf(counters, 'done'),
  skipped: numberOf(counters, 'skipped'),
  exited: numberOf(counters, 'exited'),
  converted: numberOf(counters, 'converted'),
  seconds_to_goal: secondsToGoal(counters),
});

export const VariantCounts = z.object({ name: z.string(), sent: Count.describe('How many emails of the variant were sent.') });

export const StepCounts = z.object({
  step_id: z.string(),
  ...flowFields,
  waiting: Count.describe('Runs that are currently at the step.'),
  failed: Count.describe('Runs that failed at the step and can be retried.'),
  next: z
    .array(
      z.object({
        step_id: z.string().nullable().describe('The step that followed; null for the end of the run.'),
        count: Count,
        rate: z.number().describe('The share of the runs entering the step that continued with this next step, from 0 to 1.'),
      }),
    )
    .describe('What followed the step, most frequent first.'),
  variants: z.array(VariantCounts).describe('The variants of the email of a `send` step that were sent, by name; empty without variants.'),
  seconds_in_step: z
    .object({ p50: z.number(), p90: z.number() })
    .nullable()
    .describe('How long runs stayed at the step before they left it for another, within a tenth; null if none has.'),
});

export function stepCounts(step_id: string, counters: Counters = {}): z.output<typeof StepCounts> {
  const flow = flowOf(counters);
  const next = [...keyed(counters, 'next')]
    .filter(([, count]) => count > 0)
    .map(([id, count]) => ({ step_id: id === endKey ? null : id, count, rate: flow.entered > 0 ? count / flow.entered : 0 }))
    .sort((a, b) => b.count - a.count || ((a.step_id ?? '') < (b.step_id ?? '') ? -1 : 1));
  const now = keyed(counters, 'now');
  const inStep = quantiles(keyed(counters, 'time'));
  return {
    step_id,
    ...flow,
    waiting: now.get('waiting') ?? 0,
    failed: now.get('failed') ?? 0,
    next,
    variants: [...keyed(counters, 'variant')]
      .filter(([, sent]) => sent > 0)
      .map(([key, sent]) => ({ name: variantName(key), sent }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    seconds_in_step: inStep && { p50: inStep(0.5), p90: inStep(0.9) },
  };
}

export const numberOf = (counters: Counters, name: string) => (typeof counters[name] === 'number' ? counters[name] : 0);

export const keyed = (counters: Counters, name: string): Map<string, number> =>
  new Map(typeof counters[name] === 'object' ? Object.entries(counters[name]) : []);

/** Reads quantiles from the buckets of `countsOf`; null if they are empty. */
function quantiles(buckets: ReadonlyMap<string, number>): ((share: number) => number) | null {
  const sorted = [...buckets].map(([bucket, count]) => ({ bucket: Number(bucket), count })).sort((a, b) => a.bucket - b.bucket);
  const total = sorted.reduce((sum, { count }) => sum + count, 0);
  if (total <= 0) return null;
  return (share) => {
    let reached = 0;
    const found = sorted.find(({ count }) => {
      reached += count;
      return reached >= share * total;
    });
    return Math.round(secondsOf(found?.bucket ?? 0));
  };
}
