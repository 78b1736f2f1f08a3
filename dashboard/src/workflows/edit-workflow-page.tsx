import { Alert } from '@mantine/core';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { EditorBack, EditorFrame, LoadedEditor } from '../editor/editor-frame.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { usePermission } from '../session/permission.ts';
import { ActivateWorkflow } from './activate-workflow.tsx';
import { type WorkflowDraft, WorkflowForm, workflowDraftOf, workflowOf } from './workflow-form.tsx';
import { WorkflowStatus } from './workflow-status.tsx';
import { useUpdateWorkflow, useWorkflow, type Workflow } from './workflows.ts';

export function EditWorkflowPage() {
  const { id } = useParams({ from: '/signed-in/workflows/$id/edit' });
  const query = useWorkflow(id);
  return (
    <LoadedEditor of="the workflow" query={query} title="Edit workflow" back={<EditorBack to="/workflows/$id" params={{ id }} />}>
      {(workflow) => <Changeable key={id} workflow={workflow} load={() => query.refetch({ throwOnError: true })} />}
    </LoadedEditor>
  );
}

type Props = { workflow: Workflow; load: () => Promise<{ data: Workflow | undefined }> };

/** Keeps the form and its edits if the workflow is archived from elsewhere in the meantime. */
function Changeable({ workflow, load }: Props) {
  const [wasArchived] = useState(workflow.status === 'archived');
  const { id, name, status } = workflow;
  if (!wasArchived) return <Edit workflow={workflow} load={load} />;
  return (
    <EditorFrame title={`Edit ${name}`} header={<EditorBack to="/workflows/$id" params={{ id }} />}>
      {status === 'archived' && <Archived />}
    </EditorFrame>
  );
}

const Archived = () => <Alert color="gray">An archived workflow can't be changed. Activate it first.</Alert>;

/** What saving does beside saving. A workflow that has never been active is nobody's yet. */
function effectOf({ status, activated_at }: Workflow): string | undefined {
  if (status === 'active') return 'Saving applies to runs that start from then on.';
  if (status === 'awaiting_approval') return 'Saving withdraws the request for approval.';
  return activated_at === null ? undefined : 'Saving makes a new version.';
}

function Edit({ workflow, load }: Props) {
  const navigate = useNavigate();
  const { may } = usePermission();
  const { activates = false } = useLocation().state;
  useEffect(() => {
    // Only once: neither a reload nor Back activates.
    if (activates) void navigate({ to: '.', replace: true, state: {}, ignoreBlocker: true });
  }, [activates, navigate]);
  // Keeps the revision that was opened, even if a refetch brings a newer one.
  const [opened] = useState(workflow);
  const { id } = opened;
  const [revision, setRevision] = useState(opened.revision);
  const [savedName, setSavedName] = useState(opened.name);
  const update = useUpdateWorkflow(id);
  const effect = effectOf(workflow);
  const changeOf = (draft: WorkflowDraft) => ({ change: workflowOf(draft), revision });
  const onSaved = (saved: Pick<Workflow, 'revision' | 'name'>) => {
    setRevision(saved.revision);
    setSavedName(saved.name);
  };
  return (
    <WorkflowForm
      workflow={opened}
      title={`Edit ${savedName}`}
      back={<EditorBack to="/workflows/$id" params={{ id }} />}
      status={<WorkflowStatus status={workflow.status} />}
      live={effect}
      notice={workflow.status === 'archived' && <Archived />}
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
      autosave={{ isOn: effect === undefined, save: (draft) => update.mutateAsync(changeOf(draft)).then(onSaved) }}
      more={
        <ButtonLink to="/workflows/$id/simulate" params={{ id }} variant="default">
          Simulate
        </ButtonLink>
      }
      primary={
        workflow.status !== 'active' &&
        workflow.status !== 'awaiting_approval' &&
        may('workflows:activate') && (
          <ActivateWorkflow
            workflow={workflow}
            isWanted={activates}
            onDone={() => void navigate({ to: '/workflows/$id', params: { id } })}
          />
        )
      }
      onSubmit={(draft, onDone) =>
        update.mutate(changeOf(draft), {
          onSuccess: (saved) => {
            onSaved(saved);
            onDone();
          },
        })
      }
    />
  );
}
