import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { useDeleteWorkflow, type Workflow } from './workflows.ts';

export function DeleteWorkflow({ workflow: { id, name } }: { workflow: Pick<Workflow, 'id' | 'name'> }) {
  const navigate = useNavigate();
  const deletion = useDeleteWorkflow(id);
  const onSuccess = () => {
    notifications.show({ message: `${name} was deleted.` });
    void navigate({ to: '/workflows' });
  };
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this workflow?"
      confirm="Delete workflow"
      failed="Couldn't delete the workflow"
      mutation={deletion}
      onConfirm={() => deletion.mutate(undefined, { onSuccess })}
    >
      <Text size="sm">
        <strong>{name}</strong> is deleted, and its active runs end. This can't be undone.
      </Text>
    </ConfirmButton>
  );
}
