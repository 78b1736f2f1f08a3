import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { ButtonLink } from '../shell/button-link.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { WorkflowForm } from './workflow-form.tsx';
import { useCreateWorkflow } from './workflows.ts';

export function NewWorkflowPage() {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useCreateWorkflow();
  return (
    <Page
      title="New workflow"
      describes="Saved as a draft. Contacts enter only after you activate it."
      back={<BackLink to="/workflows">Workflows</BackLink>}
    >
      <WorkflowForm
        submit="Save draft"
        failed="Couldn't save the workflow"
        isPending={isPending}
        error={error}
        cancel={
          <ButtonLink to="/workflows" variant="default">
            Cancel
          </ButtonLink>
        }
        onSubmit={(written) =>
          mutate(
            { ...written, status: 'draft' },
            {
              onSuccess: ({ id }) => {
                notifications.show({ message: 'Saved as a draft.' });
                void navigate({ to: '/workflows/$id', params: { id }, ignoreBlocker: true });
              },
            },
          )
        }
      />
    </Page>
  );
}
