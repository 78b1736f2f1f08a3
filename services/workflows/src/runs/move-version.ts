import type { Step } from '../workflows/step.ts';
import type { Run } from './run.ts';

export const moveProblems = ['step_missing', 'step_changed', 'in_flight'] as const;
type MoveProblem = (typeof moveProblems)[number];

/**
 * Why a run cannot move to a version in which its step has this type; undefined if it can. What a run has requested stays
 * with the definition that it was requested under, so that a repeated request is the same.
 */
export function cannotMove(
  { step, waiting }: Pick<Run, 'step' | 'waiting'>,
  there: Step['type'] | undefined,
  here = there,
): MoveProblem | undefined {
  if (step === null || there === undefined) return 'step_missing';
  if (here !== there) return 'step_changed';
  const isQuiet = waiting === null || waiting.for === 'time' || waiting.for === 'event' || waiting.for === 'capacity';
  return isQuiet ? undefined : 'in_flight';
}
