import { Alert, Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { ButtonLink } from '../shell/button-link.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { WorkflowForm } from './workflow-form.tsx';
import { useUpdateWorkflow, useWorkflow, type Workflow } from './workflows.ts';

export function EditWorkflowPage() {
  const { id } = useParams({ from: '/signed-in/workflows/$id/edit' });
  const { data: workflow, error, refetch } = useWorkflow(id);
  return (
    <Page
      title={workflow ? `Edit ${workflow.name}` : 'Edit workflow'}
      describes={workflow?.activated_at && 'Active runs stay on the version they started with.'}
      back={
        <BackLink to="/workflows/$id" params={{ id }}>
          Workflow
        </BackLink>
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't load the workflow" onRetry={() => void refetch()} />}
      {!workflow && !error && <Skeleton height={320} role="status" aria-label="Loading the workflow" />}
      {workflow && <Changeable key={id} workflow={workflow} />}
    </Page>
  );
}

/** Keeps the form and its edits if the workflow is archived from elsewhere in the meantime. */
function Changeable({ workflow }: { workflow: Workflow }) {
  const [wasArchived] = useState(workflow.status === 'archived');
  return (
    <>
      {workflow.status === 'archived' && <Alert color="gray">An archived workflow can't be changed. Activate it first.</Alert>}
      {!wasArchived && <Edit workflow={workflow} />}
    </>
  );
}

function Edit({ workflow }: { workflow: Workflow }) {
  const navigate = useNavigate();
  // Keeps the revision that was opened, even if a refetch brings a newer one.
  const [opened] = useState(workflow);
  const { id, revision } = opened;
  const { mutate, isPending, error } = useUpdateWorkflow(id);
  return (
    <WorkflowForm
      workflow={opened}
      submit="Save"
      failed="Couldn't update the workflow"
      isPending={isPending}
      error={error}
      cancel={
        <ButtonLink to="/workflows/$id" params={{ id }} variant="default">
          Cancel
        </ButtonLink>
      }
      onSubmit={(change) =>
        mutate(
          { change, revision },
          {
            onSuccess: () => {
              notifications.show({ message: 'Saved.' });
              void navigate({ to: '/workflows/$id', params: { id }, ignoreBlocker: true });
            },
          },
        )
      }
    />
  );
}
