import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { WorkflowForm } from './workflow-form.tsx';
import { useCreateWorkflow } from './workflows.ts';

export function NewWorkflowPage() {
  const finish = useFinishForm();
  const creation = useCreateWorkflow();
  return (
    <Page
      title="New workflow"
      describes="Saved as a draft. Contacts enter only after you activate it."
      back={<BackLink to="/workflows">Workflows</BackLink>}
    >
      <WorkflowForm
        kept={{ name: 'new workflow' }}
        submit="Save draft"
        failed="Couldn't save the workflow"
        saving={creation}
        cancel={
          <ButtonLink to="/workflows" variant="default">
            Cancel
          </ButtonLink>
        }
        onSubmit={(written) =>
          creation.mutate(
            { ...written, status: 'draft' },
            { onSuccess: ({ id }) => finish('Saved as a draft.', { to: '/workflows/$id', params: { id } }) },
          )
        }
      />
    </Page>
  );
}
