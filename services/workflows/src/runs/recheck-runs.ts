import type { Origin, Transaction } from '@mp/service-kit/mongo';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ApplyInputs, Holds } from './apply-inputs.ts';
import type { StoredRun } from './run-document.ts';

export type RecheckRuns = ReturnType<typeof createRecheckRuns>;

type Deps = { workflows: Pick<WorkflowsStore, 'statuses'>; applyInputs: ApplyInputs; holds: Holds };

/** Lets runs whose email is held try to send it again, because what holds it has changed. */
export const createRecheckRuns =
  ({ workflows, applyInputs, holds }: Deps) =>
  async (tx: Transaction, runs: readonly StoredRun[], causeOf: (run: StoredRun) => Origin | undefined = () => undefined) => {
    const statuses = await workflows.statuses(runs, tx);
    const moves = runs.map((before) => {
      const hold = holds(before.account_id) || statuses.get(before.workflow_id) !== 'active';
      return { before, input: { type: 'recheck' as const, hold }, cause: causeOf(before) };
    });
    await applyInputs(tx, moves);
  };
