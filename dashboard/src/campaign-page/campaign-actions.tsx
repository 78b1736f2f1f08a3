import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import {
  type Campaign,
  type CampaignTransition,
  isEditable,
  useDeleteCampaign,
  useDuplicateCampaign,
  useTransitionCampaign,
} from '../campaigns/campaigns.ts';
import { ConfirmButton } from '../dialogs/confirm-button.tsx';
import { ButtonLink } from '../page/button-link.tsx';
import { usePermission } from '../session/permission.ts';

/** The actions that the campaign's status allows. */
export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const { id, status } = campaign;
  const { may, mayWrite } = usePermission('campaigns');
  const maySend = may('campaigns:send');
  const { mutate, isPending, variables } = useTransitionCampaign(id);
  const steer = (steering: CampaignTransition) =>
    mutate(steering, {
      onError: (error) => notifications.show({ color: 'red', title: `Couldn't ${steering} the campaign`, message: error.message }),
    });
  const isSending = status === 'sending' || status === 'freezing';

  return (
    <Group gap="sm">
      {mayWrite && <DuplicateCampaign campaign={campaign} />}
      {mayWrite && status === 'draft' && <DeleteCampaign campaign={campaign} />}
      {mayWrite && isEditable(status) && (
        <>
          <ButtonLink to="/campaigns/$id/edit" params={{ id }} variant="default">
            Edit
          </ButtonLink>
          <ButtonLink to="/campaigns/$id/edit" params={{ id }} search={{ step: 'review' }}>
            Review and send
          </ButtonLink>
        </>
      )}
      {maySend && (status === 'scheduled' || status === 'awaiting_approval') && (
        <Button variant="default" loading={isPending && variables === 'unschedule'} onClick={() => steer('unschedule')}>
          {status === 'scheduled' ? 'Back to draft' : 'Withdraw request'}
        </Button>
      )}
      {maySend && status === 'sending' && (
        <Button variant="default" loading={isPending && variables === 'pause'} onClick={() => steer('pause')}>
          Pause
        </Button>
      )}
      {maySend && status === 'paused' && (
        <Button loading={isPending && variables === 'resume'} onClick={() => steer('resume')}>
          Resume
        </Button>
      )}
      {maySend && (isSending || status === 'paused' || status === 'scheduled') && <CancelCampaign campaign={campaign} />}
    </Group>
  );
}

function DuplicateCampaign({ campaign }: { campaign: Campaign }) {
  const navigate = useNavigate();
  const { mutate, isPending } = useDuplicateCampaign(campaign);
  const duplicate = () =>
    mutate(undefined, {
      onSuccess: (copy) => {
        notifications.show({ message: `${copy.name} was created as a draft.` });
        void navigate({ to: '/campaigns/$id/edit', params: { id: copy.id } });
      },
      onError: (error) => notifications.show({ color: 'red', title: "Couldn't duplicate the campaign", message: error.message }),
    });
  return (
    <Button variant="default" loading={isPending} onClick={duplicate}>
      Duplicate
    </Button>
  );
}

function CancelCampaign({ campaign: { id, name } }: { campaign: Campaign }) {
  const steering = useTransitionCampaign(id);
  return (
    <ConfirmButton
      label="Cancel campaign"
      title="Cancel this campaign?"
      confirm="Cancel campaign"
      keep="Keep campaign"
      failed="Couldn't cancel the campaign"
      mutation={steering}
      onConfirm={(options) => steering.mutate('cancel', options)}
    >
      <Text size="sm">
        Recipients who have not received <strong>{name}</strong> yet won't receive it. A cancelled campaign can't be resumed.
      </Text>
    </ConfirmButton>
  );
}

function DeleteCampaign({ campaign: { id, name } }: { campaign: Campaign }) {
  const deletion = useDeleteCampaign(id);
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this draft?"
      confirm="Delete draft"
      failed="Couldn't delete the draft"
      mutation={deletion}
      onConfirm={(options) => deletion.mutate(undefined, options)}
      done={`${name} was deleted.`}
      next={{ to: '/campaigns' }}
    >
      <Text size="sm">
        <strong>{name}</strong> was never sent. Deleting it can't be undone.
      </Text>
    </ConfirmButton>
  );
}
