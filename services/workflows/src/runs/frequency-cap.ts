import { maxCappedDays } from '../workflows/action-steps.ts';
import type { Definition } from '../workflows/definition.ts';
import type { Step } from '../workflows/step.ts';
import type { Input, Run } from './run.ts';
import { after, entry, failure, type Transition } from './transition.ts';

/** The reason with which campaigns refuses an email that the frequency cap forbids. */
export const frequencyCap = 'frequency_cap';

const minuteMs = 60_000;
const maxCappedMs = maxCappedDays * 24 * 60 * minuteMs;

/** When the run tries again if campaigns does not know when the cap allows the email. */
const unknownMs = 60 * minuteMs;

type Refused = Input & { type: 'effect_completed' };

export const waitsForCap = (step: Step, { reason }: Refused) =>
  step.type === 'send' && step.when_capped === 'wait' && reason === frequencyCap;

/** Waits until the frequency cap allows the email, and skips the step when it has waited for too long. */
export function cappedVerdict(
  definition: Definition,
  run: Run,
  { step, input, now }: { step: Step; input: Refused; now: Date },
): Transition {
  const capped = run.capped ?? now.toISOString();
  const latest = after(new Date(capped), maxCappedMs);
  if (latest <= now.toISOString()) return failure(definition, step, frequencyCap, input.key);
  const wanted = input.retryAt ?? after(now, unknownMs);
  // Not at once, if the clock of campaigns is ahead.
  const soonest = after(now, minuteMs);
  const until = [wanted > soonest ? wanted : soonest, latest].sort()[0] ?? latest;
  const log = [entry(step.id, 'waiting', `The frequency cap forbids the email: waiting until ${until}.`, input.key)];
  return { kind: 'wait', waiting: { for: 'time', until, held: 'frequency_cap' }, log, capped };
}

/** What `Run.capped` is after an input: it is kept while the run tries to take the same step. */
export function cappedAfter({ capped }: Run, transition: Transition, input: Input): { capped?: string } {
  if (transition.kind === 'wait' && transition.capped !== undefined) return { capped: transition.capped };
  const isRepeated = input.type === 'wake' || input.type === 'recheck';
  const isTrying =
    transition.kind === 'enter' ? transition.again === true && isRepeated : transition.kind !== 'end' && transition.kind !== 'convert';
  return isTrying && capped !== undefined ? { capped } : {};
}
