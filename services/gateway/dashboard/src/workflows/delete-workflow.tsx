import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../shell/confirm.tsx';
import { useDeleteWorkflow, type Workflow } from './workflows.ts';

export function DeleteWorkflow({ workflow: { id, name } }: { workflow: Pick<Workflow, 'id' | 'name'> }) {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const { mutate, isPending, error } = useDeleteWorkflow(id);
  const deleteIt = () =>
    mutate(undefined, {
      onSuccess: () => {
        notifications.show({ message: `${name} is deleted.` });
        void navigate({ to: '/workflows' });
      },
    });
  return (
    <>
      <Button variant="default" onClick={open}>
        Delete
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        title="Delete this workflow?"
        confirm="Delete workflow"
        isPending={isPending}
        error={error}
        failed="The workflow was not deleted"
        onConfirm={deleteIt}
      >
        <Text size="sm">
          <strong>{name}</strong> goes for good, and whoever is still in it leaves it.
        </Text>
      </Confirm>
    </>
  );
}
