import { Button } from '@mantine/core';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { EditorBack } from '../editor/editor-frame.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { usePermission } from '../session/permission.ts';
import { definitionOf, firstDefinition } from './definition.ts';
import { readDefinition } from './read-definition.ts';
import { type FirstDraft, WorkflowForm, workflowOf } from './workflow-form.tsx';
import { WorkflowStatus } from './workflow-status.tsx';
import { type NewWorkflow, useCreateWorkflow } from './workflows.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What a recipe whose segment is to be chosen begins with. */
    workflow?: NewWorkflow;
    /** Whether its editor activates what was just created. */
    activates?: boolean;
  }
}

export function NewWorkflowPage() {
  const navigate = useNavigate();
  const finish = useFinishForm();
  const { may } = usePermission();
  const activate = useRef<HTMLButtonElement>(null);
  /** Whether the button that was pressed activates, too. */
  const activates = useRef(false);
  const creation = useCreateWorkflow();
  const { segment } = useSearch({ from: '/signed-in/workflows/new' });
  const { workflow } = useLocation().state;
  const first = segment ? startedBy(segment) : workflow && copyOf(workflow);
  const opened = (id: string) => {
    const editor = { to: '/workflows/$id/edit', params: { id }, replace: true } as const;
    if (activates.current) void navigate({ ...editor, state: { activates: true }, ignoreBlocker: true });
    else finish('Saved as a draft. Contacts enter only after you activate it.', editor);
  };
  return (
    <div
      onSubmitCapture={({ nativeEvent }) => {
        activates.current = nativeEvent instanceof SubmitEvent && nativeEvent.submitter === activate.current;
      }}
    >
      <WorkflowForm
        {...(first && { first })}
        title="New workflow"
        back={<EditorBack to="/workflows" />}
        status={<WorkflowStatus status="draft" />}
        kept={{ name: 'new workflow' }}
        submit="Save draft"
        primary={
          may('workflows:activate') && (
            <Button ref={activate} type="submit">
              Activate
            </Button>
          )
        }
        failed="Couldn't save the workflow"
        saving={creation}
        onSubmit={(draft) => creation.mutate({ ...workflowOf(draft), status: 'draft' }, { onSuccess: ({ id }) => opened(id) })}
      />
    </div>
  );
}

const startedBy = (segment_id: string): FirstDraft => ({
  name: '',
  description: '',
  definition: { ...firstDefinition, trigger: { type: 'segment_entered', segment_id } },
});

function copyOf({ name, description, ...definition }: NewWorkflow): FirstDraft | undefined {
  const read = readDefinition(JSON.stringify(definition));
  return 'definition' in read ? { name, description: description ?? '', definition: definitionOf(read.definition) } : undefined;
}
