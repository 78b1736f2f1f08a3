import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { usePermission } from '../session/permission.ts';
import { ActivateWorkflow } from './activate-workflow.tsx';
import { DeleteWorkflow } from './delete-workflow.tsx';
import { useTransitionWorkflow, type Workflow, type WorkflowTransition } from './workflows.ts';

/** The actions that the workflow's status allows. */
export function WorkflowActions({ workflow }: { workflow: Workflow }) {
  const { id, name, status } = workflow;
  const { may } = usePermission();
  const [archiving, archive] = useDisclosure(false);
  const { mutate, isPending, variables, error, reset } = useTransitionWorkflow(id);
  const steer = (steering: WorkflowTransition) =>
    mutate(steering, {
      onError: (failure) => notifications.show({ color: 'red', title: `Couldn't ${steering} the workflow`, message: failure.message }),
    });

  return (
    <Group gap="sm">
      <ButtonLink to="/workflows/$id/simulate" params={{ id }} variant="default">
        Simulate
      </ButtonLink>
      {status !== 'archived' && (
        <ButtonLink to="/workflows/$id/edit" params={{ id }} variant="default">
          Edit
        </ButtonLink>
      )}
      {status !== 'active' && status !== 'awaiting_approval' && may('workflows:activate') && <ActivateWorkflow workflow={workflow} />}
      {status === 'active' && (
        <Button variant="default" loading={isPending && variables === 'pause'} onClick={() => steer('pause')}>
          Pause
        </Button>
      )}
      {status === 'awaiting_approval' && (
        <Button variant="default" loading={isPending && variables === 'pause'} onClick={() => steer('pause')}>
          Withdraw request
        </Button>
      )}
      {status !== 'archived' && (
        <Button variant="default" onClick={archive.open}>
          Archive
        </Button>
      )}
      {(status === 'draft' || status === 'archived') && <DeleteWorkflow workflow={workflow} />}
      <ConfirmDialog
        opened={archiving}
        onClose={() => {
          reset();
          archive.close();
        }}
        title="Archive this workflow?"
        confirm="Archive workflow"
        isPending={isPending && variables === 'archive'}
        error={variables === 'archive' ? error : null}
        failed="Couldn't archive the workflow"
        onConfirm={() => mutate('archive', { onSuccess: archive.close })}
      >
        <Text size="sm">
          No contacts will enter <strong>{name}</strong>, and its active runs end. You can activate it again later.
        </Text>
      </ConfirmDialog>
    </Group>
  );
}
