import { Alert } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Loaded } from '../api/loaded.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { ButtonLink } from '../page/button-link.tsx';
import { BackLink, Page } from '../page/page.tsx';
import { WorkflowForm, workflowDraftOf } from './workflow-form.tsx';
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
      <Loaded of="the workflow" shape="form" query={query}>
        {(workflow) => <Changeable key={id} workflow={workflow} load={() => query.refetch({ throwOnError: true })} />}
      </Loaded>
    </Page>
  );
}

type Props = { workflow: Workflow; load: () => Promise<{ data: Workflow | undefined }> };

/** Keeps the form and its edits if the workflow is archived from elsewhere in the meantime. */
function Changeable({ workflow, load }: Props) {
  const [wasArchived] = useState(workflow.status === 'archived');
  return (
    <>
      {workflow.status === 'archived' && <Alert color="gray">An archived workflow can't be changed. Activate it first.</Alert>}
      {!wasArchived && <Edit workflow={workflow} load={load} />}
    </>
  );
}

function Edit({ workflow, load }: Props) {
  const finish = useFinishForm();
  // Keeps the revision that was opened, even if a refetch brings a newer one.
  const [opened] = useState(workflow);
  const { id } = opened;
  const [revision, setRevision] = useState(opened.revision);
  const update = useUpdateWorkflow(id);
  return (
    <WorkflowForm
      workflow={opened}
      submit="Save"
      failed="Couldn't update the workflow"
      saving={update}
      kept={{
        name: `workflow ${id}`,
        stored: {
          revision,
          onRevision: setRevision,
          current: async () => {
            const { data = workflow } = await load();
            return { values: workflowDraftOf(data), revision: data.revision };
          },
        },
      }}
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
