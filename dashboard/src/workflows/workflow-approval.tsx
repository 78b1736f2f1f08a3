import { Text } from '@mantine/core';
import { Loaded } from '../api/loaded.tsx';
import { ApprovalPanel, RejectedAlert } from '../approval/approval-panel.tsx';
import { TextLink } from '../page/button-link.tsx';
import { useDecideWorkflow, useWorkflowApproval } from './workflow-approvals.ts';
import type { Workflow } from './workflows.ts';

/** What the approver of a workflow sees and decides; for its editor, why it was rejected. */
export function WorkflowApproval({ workflow }: { workflow: Workflow }) {
  const query = useWorkflowApproval(workflow);
  const deciding = useDecideWorkflow(workflow.id);
  if (workflow.status === 'draft' || workflow.status === 'paused')
    return query.data ? <RejectedAlert approval={query.data} noun="workflow" /> : null;
  if (workflow.status !== 'awaiting_approval') return null;
  return (
    <Loaded of="the approval" shape="form" query={query}>
      {(approval) => (
        <ApprovalPanel noun="workflow" approval={approval} deciding={deciding} effect={effectOf(approval)}>
          <Text size="sm">
            <TextLink to="/workflows/$id/simulate" params={{ id: workflow.id }} underline="always">
              Simulate the workflow
            </TextLink>{' '}
            to see what happens to a contact, and when.
          </Text>
        </ApprovalPanel>
      )}
    </Loaded>
  );
}

function effectOf({ include_current, include_past_days }: { include_current: boolean; include_past_days: number | null }): string {
  if (include_current) return 'Once approved, it is active, and the contacts that match now start too.';
  if (include_past_days === null) return 'Once approved, it is active.';
  const past = include_past_days === 1 ? 'in the past day' : `in the past ${include_past_days} days`;
  return `Once approved, it is active, and the contacts that had its event ${past} start too.`;
}
