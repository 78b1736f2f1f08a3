import { ApiError, invalid } from '@mp/contracts/errors';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { requireSendPermission } from '../workflows/require-send-permission.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ApplyInput } from './apply-inputs.ts';
import { entryLock } from './entry-policy.ts';
import { isOpen } from './run.ts';
import type { StoredRun } from './run-document.ts';
import type { RunsStore } from './runs-store.ts';

export type RunAction = { type: 'cancel' | 'retry' | 'skip' } | { type: 'rerun_from'; step_id: string };

export type RunActions = ReturnType<typeof createRunActions>;

type Deps = { runs: RunsStore; workflows: WorkflowsStore; applyInput: ApplyInput };

/** What a user can do with a run. Each action throws FORBIDDEN, INVALID_STATE, CONFLICT or VALIDATION_ERROR before it writes anything. */
export function createRunActions({ runs, workflows, applyInput }: Deps) {
  /** An ended run that continues counts as open again, if the entry policy still admits the contact. */
  async function reopen(tx: Transaction, run: StoredRun) {
    const { entry } = await workflows.definition(run.account_id, run.workflow_id, run.version);
    const lock = entryLock(entry, run.data);
    if (entry.policy !== 'after_exit' || lock === undefined) return;
    const { account_id: accountId, workflow_id: workflowId, contact_id: contactId } = run;
    const [holder] = await runs.taken(tx, [{ accountId, workflowId, contactId, locks: [lock], unless: 'none' }]);
    if (holder !== undefined && holder !== run.id) {
      throw new ApiError('CONFLICT', 'The contact has re-entered this workflow in the meantime.');
    }
    await runs.reopen(tx, run, lock);
  }

  async function requireActive(tx: Transaction, run: StoredRun) {
    const status = await workflows.status(run.account_id, run.workflow_id, tx);
    if (status === 'active') return;
    throw new ApiError(
      'INVALID_STATE',
      `The workflow is ${status ?? 'deleted'}; runs can be retried, skipped or rerun only while their workflow is active.`,
    );
  }

  async function moved(tx: Transaction, run: StoredRun, action: RunAction): Promise<StoredRun | undefined> {
    switch (action.type) {
      case 'cancel':
        if (run.state === 'cancelled') return run;
        if (!isOpen(run)) throw new ApiError('INVALID_STATE', `The run is already ${run.state}.`);
        return applyInput(tx, run, { type: 'cancel' });
      case 'retry':
        if (run.state !== 'failed') throw new ApiError('INVALID_STATE', `The run is ${run.state}; only failed runs can be retried.`);
        await requireActive(tx, run);
        await reopen(tx, run);
        return applyInput(tx, run, { type: 'retry' });
      case 'skip':
        if (!isOpen(run)) throw new ApiError('INVALID_STATE', `The run is already ${run.state}.`);
        await requireActive(tx, run);
        return applyInput(tx, run, { type: 'skip' });
      case 'rerun_from': {
        const { steps } = await workflows.definition(run.account_id, run.workflow_id, run.version);
        if (!steps.some(({ id }) => id === action.step_id)) {
          throw invalid('/step_id', 'unknown_step', `Version ${run.version}, which the run is on, has no step ${action.step_id}.`);
        }
        await requireActive(tx, run);
        if (!isOpen(run)) await reopen(tx, run);
        return applyInput(tx, run, { type: 'rerun', step: action.step_id });
      }
    }
  }

  return async function act(tx: Transaction, principal: Principal, run: StoredRun, action: RunAction): Promise<StoredRun> {
    if (action.type !== 'cancel') {
      const { steps } = await workflows.definition(run.account_id, run.workflow_id, run.version);
      await requireSendPermission(workflows, principal, steps, tx);
    }
    const after = await moved(tx, run, action);
    if (!after) throw new ApiError('INVALID_STATE', 'The run has just changed; retry.');
    return after;
  };
}
