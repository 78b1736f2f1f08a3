import { Text } from '@mantine/core';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { useDeleteWorkflow, type Workflow } from './workflows.ts';

export function DeleteWorkflow({ workflow: { id, name } }: { workflow: Pick<Workflow, 'id' | 'name'> }) {
  const deletion = useDeleteWorkflow(id);
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this workflow?"
      confirm="Delete workflow"
      failed="Couldn't delete the workflow"
      mutation={deletion}
      onConfirm={(options) => deletion.mutate(undefined, options)}
      done={`${name} was deleted.`}
      next={{ to: '/workflows' }}
    >
      <Text size="sm">
        <strong>{name}</strong> is deleted, and its active runs end. This can't be undone.
      </Text>
    </ConfirmButton>
  );
}
