import { ApiError } from '@mp/contracts/errors';
import type { Workflow, WorkflowStatus } from './workflow.ts';

type Reachable = Exclude<WorkflowStatus, 'draft'>;

const from: Record<Reachable, readonly WorkflowStatus[]> = {
  awaiting_approval: ['draft', 'paused', 'archived'],
  active: ['draft', 'paused', 'archived', 'awaiting_approval'],
  paused: ['active'],
  archived: ['draft', 'active', 'paused', 'awaiting_approval'],
};

/** Whether open runs of the workflow wait at their step. */
export const isOnHold = (status: WorkflowStatus | undefined) => status === 'paused' || status === 'awaiting_approval';

/** Returns a workflow that awaited approval in the status that it has without: a draft, unless it was active before. */
export const withdrawn = (before: Workflow, now: Date): Workflow => ({
  ...before,
  status: before.activated_at === null ? 'draft' : 'paused',
  revision: before.revision + 1,
  updated_at: now.toISOString(),
});

/** Returns the workflow in another status, or the same object if it already has it. Throws INVALID_STATE. */
export function moveWorkflow(before: Workflow, status: Reachable, now: Date): Workflow {
  if (before.status === status) return before;
  if (!from[status].includes(before.status)) {
    throw new ApiError(
      'INVALID_STATE',
      `The workflow is ${before.status}; it can become ${status} only from ${from[status].join(' or ')}.`,
    );
  }
  const at = now.toISOString();
  return {
    ...before,
    status,
    revision: before.revision + 1,
    updated_at: at,
    activated_at: status === 'active' ? at : before.activated_at,
  };
}
