import { useSearch } from '@tanstack/react-router';
import { useFinishForm } from '../form/use-finish-form.ts';
import { NewPage } from '../page/new-page.tsx';
import { firstDefinition } from './definition.ts';
import { WorkflowForm } from './workflow-form.tsx';
import { useCreateWorkflow } from './workflows.ts';

export function NewWorkflowPage() {
  const finish = useFinishForm();
  const creation = useCreateWorkflow();
  const { segment } = useSearch({ from: '/signed-in/workflows/new' });
  return (
    <NewPage title="New workflow" describes="Saved as a draft. Contacts enter only after you activate it." list="/workflows" of="Workflows">
      {(cancel) => (
        <WorkflowForm
          {...(segment && { first: { ...firstDefinition, trigger: { type: 'segment_entered', segment_id: segment } } })}
          kept={{ name: 'new workflow' }}
          submit="Save draft"
          failed="Couldn't save the workflow"
          saving={creation}
          cancel={cancel}
          onSubmit={(written) =>
            creation.mutate(
              { ...written, status: 'draft' },
              { onSuccess: ({ id }) => finish('Saved as a draft.', { to: '/workflows/$id', params: { id } }) },
            )
          }
        />
      )}
    </NewPage>
  );
}
