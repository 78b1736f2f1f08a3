import { useLocation, useSearch } from '@tanstack/react-router';
import { EditorBack } from '../editor/editor-frame.tsx';
import { useFinishForm } from '../form/use-finish-form.ts';
import { definitionOf, firstDefinition, readDefinition } from './definition.ts';
import { type FirstDraft, WorkflowForm, workflowOf } from './workflow-form.tsx';
import { WorkflowStatus } from './workflow-status.tsx';
import { type NewWorkflow, useCreateWorkflow } from './workflows.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What a recipe whose segment is to be chosen begins with. */
    workflow?: NewWorkflow;
  }
}

export function NewWorkflowPage() {
  const finish = useFinishForm();
  const creation = useCreateWorkflow();
  const { segment } = useSearch({ from: '/signed-in/workflows/new' });
  const { workflow } = useLocation().state;
  const first = segment ? startedBy(segment) : workflow && copyOf(workflow);
  return (
    <WorkflowForm
      {...(first && { first })}
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

const startedBy = (segment_id: string): FirstDraft => ({
  name: '',
  description: '',
  definition: { ...firstDefinition, trigger: { type: 'segment_entered', segment_id } },
});

function copyOf({ name, description, ...definition }: NewWorkflow): FirstDraft | undefined {
  const read = readDefinition(JSON.stringify(definition));
  return 'definition' in read ? { name, description: description ?? '', definition: definitionOf(read.definition) } : undefined;
}
