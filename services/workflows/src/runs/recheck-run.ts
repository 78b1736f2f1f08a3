import type { Transaction } from '@mp/service-kit/mongo';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { Holds, MoveRun } from './move-run.ts';
import type { StoredRun } from './run-document.ts';

export type RecheckRun = ReturnType<typeof createRecheckRun>;

type Deps = { workflows: Pick<WorkflowsStore, 'status'>; moveRun: MoveRun; holds: Holds };

/** Lets a run whose email is held try to send it again, because what holds it has changed. */
export const createRecheckRun =
  ({ workflows, moveRun, holds }: Deps) =>
  async (tx: Transaction, run: StoredRun) => {
    const status = await workflows.status(run.account_id, run.workflow_id, tx);
    await moveRun(tx, run, { type: 'recheck', hold: holds(run.account_id) || status !== 'active' });
  };
