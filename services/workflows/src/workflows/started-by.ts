import type { AccountId, WorkflowId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Step } from './step.ts';
import type { Workflow } from './workflow.ts';
import type { WorkflowsStore } from './workflows-store.ts';

/** The workflows that runs with these steps start, directly or through others, each once and without deleted ones. */
export async function* startedBy(
  workflows: Pick<WorkflowsStore, 'find'>,
  accountId: AccountId,
  steps: readonly Step[],
  tx?: Transaction,
): AsyncGenerator<Workflow> {
  const seen = new Set<WorkflowId>();
  const open = [...steps];
  for (const step of open) {
    if (step.type !== 'start_workflow' || seen.has(step.workflow_id)) continue;
    seen.add(step.workflow_id);
    const started = await workflows.find(accountId, step.workflow_id, tx);
    if (!started) continue;
    open.push(...started.steps);
    yield started;
  }
}
