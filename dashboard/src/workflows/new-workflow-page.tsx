import { useSearch } from '@tanstack/react-router';
import { EditorBack } from '../editor/editor-frame.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { firstDefinition } from './definition.ts';
import { WorkflowForm, workflowOf } from './workflow-form.tsx';
import { WorkflowStatus } from './workflow-status.tsx';
import { useCreateWorkflow } from './workflows.ts';

export function NewWorkflowPage() {
  const finish = useFinishForm();
  const creation = useCreateWorkflow();
  const { segment } = useSearch({ from: '/signed-in/workflows/new' });
  return (
    <WorkflowForm
      {...(segment && { first: { ...firstDefinition, trigger: { type: 'segment_entered', segment_id: segment } } })}
      title="New workflow"
      back={<EditorBack to="/workflows" />}
      status={<WorkflowStatus status="draft" />}
      kept={{ name: 'new workflow' }}
      submit="Save draft"
      failed="Couldn't save the workflow"
      saving={creation}
      onSubmit={(draft) =>
        creation.mutate(
          { ...workflowOf(draft), status: 'draft' },
          {
            onSuccess: ({ id }) =>
              finish('Saved as a draft. Contacts enter only after you activate it.', {
                to: '/workflows/$id/edit',
                params: { id },
                replace: true,
              }),
          },
        )
      }
    />
  );
}
