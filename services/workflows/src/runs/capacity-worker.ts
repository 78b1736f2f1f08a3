import type { AccountId, WorkflowId } from '@mp/ids';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import { isOnHold } from '../workflows/workflow-states.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { ApplyInput } from './apply-inputs.ts';
import type { CapacityStore } from './capacity-store.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = {
  mongo: Mongo;
  logger: Logger;
  runs: Pick<RunsStore, 'onCapacity'>;
  capacity: CapacityStore;
  workflows: WorkflowsStore;
  applyInput: ApplyInput;
  suspended: Suspended;
};

/** How long a run can wait although it may be admitted, after a crash, the end of a suspension or a change of the limit. */
const pollMs = 5_000;

/** Keeps the transaction small. */
const maxAdmitted = 20;

/**
 * Lets waiting runs of workflows with `max_concurrent` take their first step, while fewer than the limit are open. Admissions
 * of a workflow happen one after the other, so the limit is exact; runs that end only make room, so they need no lock.
 */
export function createCapacityWorker({ mongo, logger, runs, capacity, workflows, applyInput, suspended }: Deps) {
  /** Workflows in which a run may be admitted, with their accounts, in the order in which they take turns. */
  const pending = new Map<WorkflowId, AccountId>();
  let polledAt = Number.NEGATIVE_INFINITY;

  /** Returns whether more runs may be admitted. */
  async function admit(accountId: AccountId, workflowId: WorkflowId): Promise<boolean> {
    if (suspended.has(accountId)) return false;
    const origin = { correlationId: workflowId, causationId: null };
    return mongo.transaction(origin, async (tx) => {
      const workflow = await workflows.find(accountId, workflowId, tx);
      if (isOnHold(workflow?.status) || workflow?.status === 'draft') return false;
      await capacity.lock(tx, accountId, workflowId);
      if (workflow?.status !== 'active') {
        // A run that started while the workflow was archived or deleted has no timer by which the engine would find it.
        const left = await capacity.awaiting(tx, accountId, workflowId, maxAdmitted);
        const reason = workflow ? 'workflow_archived' : 'workflow_deleted';
        for (const run of left) await applyInput(tx, run, { type: 'exit', reason });
        return left.length > 0;
      }
      const { max_concurrent: limit } = workflow;
      const room = limit === null ? maxAdmitted : limit - (await capacity.used(tx, accountId, workflowId, limit));
      const admitted = room > 0 ? await capacity.awaiting(tx, accountId, workflowId, Math.min(room, maxAdmitted)) : [];
      for (const run of admitted) await applyInput(tx, run, { type: 'admitted' });
      return admitted.length > 0;
    });
  }

  async function poll() {
    for (let next = await capacity.workflowAfter(null); next; next = await capacity.workflowAfter(next.workflowId)) {
      pending.set(next.workflowId, next.accountId);
    }
  }

  /** One batch of one workflow. */
  async function look(): Promise<boolean | number> {
    const now = performance.now();
    if (now - polledAt >= pollMs) {
      await poll();
      polledAt = now;
    }
    const [next] = pending;
    if (!next) return pollMs;
    const [workflowId, accountId] = next;
    pending.delete(workflowId);
    noteInLogs({ account_id: accountId });
    const mayContinue = await admit(accountId, workflowId).catch((error: unknown) => {
      pending.set(workflowId, accountId);
      throw error;
    });
    if (mayContinue) pending.set(workflowId, accountId);
    return true;
  }

  const runner = createRunner({ logger, warning: 'cannot admit waiting runs; retrying', work: look });
  runs.onCapacity(({ accountId, workflowId }) => {
    pending.set(workflowId, accountId);
    runner.wake();
  });

  return { start: runner.start, stop: runner.stop };
}
