import { Alert } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../shell/button-link.tsx';
import { BackLink, Page } from '../shell/page.tsx';
import { WorkflowForm } from './workflow-form.tsx';
import { useUpdateWorkflow, useWorkflow, type Workflow } from './workflows.ts';

export function EditWorkflowPage() {
  const { id } = useParams({ from: '/signed-in/workflows/$id/edit' });
  const query = useWorkflow(id);
  return (
    <Page
      title={query.data ? `Edit ${query.data.name}` : 'Edit workflow'}
      describes={query.data?.activated_at && 'Active runs stay on the version they started with.'}
      back={
        <BackLink to="/workflows/$id" params={{ id }}>
          Workflow
        </BackLink>
      }
    >
      <Loaded of="the workflow" query={query}>
        {(workflow) => <Changeable key={id} workflow={workflow} />}
      </Loaded>
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
  const finish = useFinishForm();
  // Keeps the revision that was opened, even if a refetch brings a newer one.
  const [opened] = useState(workflow);
  const { id, revision } = opened;
  const update = useUpdateWorkflow(id);
  return (
    <WorkflowForm
      workflow={opened}
      submit="Save"
      failed="Couldn't update the workflow"
      saving={update}
      cancel={
        <ButtonLink to="/workflows/$id" params={{ id }} variant="default">
          Cancel
        </ButtonLink>
      }
      onSubmit={(change) =>
        update.mutate({ change, revision }, { onSuccess: () => finish('Saved.', { to: '/workflows/$id', params: { id } }) })
      }
    />
  );
}
