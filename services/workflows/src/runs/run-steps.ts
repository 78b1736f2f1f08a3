import type { TakeInner } from './inner-effect.ts';
import { createTakeInner } from './inner-steps.ts';
import { createMoveRun, createMoveRuns } from './move-run.ts';
import { createStartRuns } from './start-runs.ts';

type Deps = Omit<Parameters<typeof createStartRuns>[0], 'takeInner'> &
  Omit<Parameters<typeof createMoveRuns>[0], 'takeInner'> &
  Omit<Parameters<typeof createTakeInner>[0], 'startRuns' | 'moveRuns'>;

/** How runs start and take steps. The three need each other: a step can start a run, whose first steps are taken at once. */
export function createRunSteps(deps: Deps) {
  const takeInner: TakeInner = (tx, inner, depth) => take(tx, inner, depth);
  const startRuns = createStartRuns({ ...deps, takeInner });
  const moveRuns = createMoveRuns({ ...deps, takeInner });
  const take = createTakeInner({ ...deps, startRuns, moveRuns });
  return { startRuns, moveRuns, moveRun: createMoveRun(moveRuns), takeInner };
}
