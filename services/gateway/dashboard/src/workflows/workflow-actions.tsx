import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { Confirm } from '../shell/confirm.tsx';
import { useSteerWorkflow, type Workflow, type WorkflowSteering } from './workflows.ts';

/** What the status of the workflow allows, and nothing else. */
export function WorkflowActions({ workflow: { id, name, status } }: { workflow: Workflow }) {
  const [archiving, archive] = useDisclosure(false);
  const { mutate, isPending, variables, error, reset } = useSteerWorkflow(id);
  const steer = (steering: WorkflowSteering) =>
    mutate(steering, {
      onError: (failure) => notifications.show({ color: 'red', title: `It was not possible to ${steering} it`, message: failure.message }),
    });

  return (
    <Group gap="sm">
      {(status === 'draft' || status === 'paused') && (
        <Button loading={isPending && variables === 'activate'} onClick={() => steer('activate')}>
          Activate
        </Button>
      )}
      {status === 'active' && (
        <Button variant="default" loading={isPending && variables === 'pause'} onClick={() => steer('pause')}>
          Pause
        </Button>
      )}
      {status !== 'archived' && (
        <Button variant="default" onClick={archive.open}>
          Archive
        </Button>
      )}
      <Confirm
        opened={archiving}
        onClose={() => {
          reset();
          archive.close();
        }}
        title="Archive this workflow?"
        confirm="Archive workflow"
        isPending={isPending && variables === 'archive'}
        error={variables === 'archive' ? error : null}
        failed="The workflow was not archived"
        onConfirm={() => mutate('archive', { onSuccess: archive.close })}
      >
        <Text size="sm">
          Nobody enters <strong>{name}</strong> any more, and it cannot be activated again.
        </Text>
      </Confirm>
    </Group>
  );
}
