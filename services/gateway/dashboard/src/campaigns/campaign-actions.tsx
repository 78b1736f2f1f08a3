import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useNavigate } from '@tanstack/react-router';
import { ButtonLink } from '../shell/button-link.tsx';
import { Confirm } from '../shell/confirm.tsx';
import { type Campaign, type Steering, useDeleteCampaign, useSteerCampaign } from './campaigns.ts';
import { SendCampaign } from './send-campaign.tsx';

/** What the state of the campaign allows, and nothing else. */
export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const { id, status } = campaign;
  const { mutate, isPending, variables } = useSteerCampaign(id);
  const steer = (steering: Steering) =>
    mutate(steering, {
      onError: (error) => notifications.show({ color: 'red', title: `The campaign did not ${steering}`, message: error.message }),
    });
  const isSending = status === 'sending' || status === 'freezing';

  return (
    <Group gap="sm">
      {status === 'draft' && (
        <>
          <ButtonLink to="/campaigns/$id/edit" params={{ id }} variant="default">
            Edit
          </ButtonLink>
          <DeleteCampaign campaign={campaign} />
          <SendCampaign campaign={campaign} />
        </>
      )}
      {isSending && (
        <Button variant="default" loading={isPending && variables === 'pause'} onClick={() => steer('pause')}>
          Pause
        </Button>
      )}
      {status === 'paused' && (
        <Button loading={isPending && variables === 'resume'} onClick={() => steer('resume')}>
          Resume
        </Button>
      )}
      {(isSending || status === 'paused' || status === 'scheduled') && <CancelCampaign campaign={campaign} />}
    </Group>
  );
}

function CancelCampaign({ campaign: { id, name } }: { campaign: Campaign }) {
  const [opened, { open, close }] = useDisclosure(false);
  const { mutate, isPending, error } = useSteerCampaign(id);
  return (
    <>
      <Button variant="default" onClick={open}>
        Cancel campaign
      </Button>
      <Confirm
        opened={opened}
        onClose={close}
        title="Cancel this campaign?"
        confirm="Cancel campaign"
        keep="Go on"
        isPending={isPending}
        error={error}
        failed="The campaign was not cancelled"
        onConfirm={() => mutate('cancel', { onSuccess: close })}
      >
        <Text size="sm">
          Nobody who has not got <strong>{name}</strong> by now will get it. A cancelled campaign cannot go on.
        </Text>
      </Confirm>
    </>
  );
}

function DeleteCampaign({ campaign: { id, name } }: { campaign: Campaign }) {
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const { mutate, isPending, error } = useDeleteCampaign(id);
  const deleteIt = () =>
    mutate(undefined, {
      onSuccess: () => {
        notifications.show({ message: `${name} is deleted.` });
        void navigate({ to: '/campaigns' });
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
        title="Delete this draft?"
        confirm="Delete draft"
        isPending={isPending}
        error={error}
        failed="The draft was not deleted"
        onConfirm={deleteIt}
      >
        <Text size="sm">
          <strong>{name}</strong> was never sent, and goes for good.
        </Text>
      </Confirm>
    </>
  );
}
