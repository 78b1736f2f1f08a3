import { createApplyInput, createApplyInputs } from './apply-inputs.ts';
import type { TakeInner } from './inner-effect.ts';
import { createTakeInner } from './inner-steps.ts';
import { createStartRuns } from './start-runs.ts';

type Deps = Omit<Parameters<typeof createStartRuns>[0], 'takeInner'> &
  Omit<Parameters<typeof createApplyInputs>[0], 'takeInner'> &
  Omit<Parameters<typeof createTakeInner>[0], 'startRuns' | 'applyInputs'>;

/** How runs start and take steps. The three need each other: a step can start a run, whose first steps are taken at once. */
export function createRunSteps(deps: Deps) {
  const takeInner: TakeInner = (tx, inner, depth) => take(tx, inner, depth);
  const startRuns = createStartRuns({ ...deps, takeInner });
  const applyInputs = createApplyInputs({ ...deps, takeInner });
  const take = createTakeInner({ ...deps, startRuns, applyInputs });
  return { startRuns, applyInputs, applyInput: createApplyInput(applyInputs), takeInner };
}
