import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Loaded } from '../api/loaded.tsx';
import { count, counted } from '../numbers/format-number.ts';
import { useActivateWorkflow, useActivation, type Workflow, type WorkflowActivation } from './workflows.ts';

/** From more contacts, or more emails in the first hour, the dialog asks a second time. */
const maxUnasked = 1_000;

/** Activates a workflow; if contacts match its trigger now, asks whether they start, too. */
export function ActivateWorkflow({ workflow: { id, trigger } }: { workflow: Workflow }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [isAsking, setAsking] = useState(false);
  const activation = useActivateWorkflow(id);
  const { mutate, isPending, error, reset } = activation;
  const leave = () => {
    if (isPending) return;
    reset();
    setAsking(false);
    close();
  };
  const activate = (include_current: boolean) => mutate(include_current, { onSuccess: close });
  const atOnce = () =>
    mutate(false, {
      onError: (failure) => notifications.show({ color: 'red', title: "Couldn't activate the workflow", message: failure.message }),
    });
  return (
    <>
      <Button loading={isPending && !opened} onClick={trigger.type === 'segment_entered' ? open : atOnce}>
        Activate
      </Button>
      <Modal opened={opened} onClose={leave} title="Activate this workflow?" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Matching id={id}>
          {(preview) => (
            <Stack gap="md">
              <Words preview={preview} isAsking={isAsking} />
              {error && <ErrorAlert error={error} title="Couldn't activate the workflow" />}
              <Group justify="flex-end" gap="sm">
                <Button variant="default" onClick={isAsking ? () => setAsking(false) : leave} disabled={isPending} data-autofocus>
                  {isAsking ? 'Back' : 'Cancel'}
                </Button>
                {!isAsking && (
                  <Button variant="default" loading={isPending && !activation.variables} onClick={() => activate(false)}>
                    {preview.contacts ? 'Only new ones' : 'Activate'}
                  </Button>
                )}
                {!!preview.contacts && (
                  <Button
                    {...(isAsking && { color: 'red' })}
                    loading={isPending && activation.variables}
                    onClick={() => (isLarge(preview) && !isAsking ? setAsking(true) : activate(true))}
                  >
                    {isAsking ? `Start ${counted(preview.contacts, 'contact')}` : 'Start them too'}
                  </Button>
                )}
              </Group>
            </Stack>
          )}
        </Matching>
      </Modal>
    </>
  );
}

const isLarge = ({ contacts, emails_first_hour }: WorkflowActivation) => Math.max(contacts ?? 0, emails_first_hour ?? 0) > maxUnasked;

/** Mounted while the dialog is open, so that the numbers are those of now. */
function Matching({ id, children }: { id: string; children: (preview: WorkflowActivation) => ReactNode }) {
  const preview = useActivation(id);
  return (
    <Loaded of="the contacts that match now" shape="form" query={preview}>
      {children}
    </Loaded>
  );
}

function Words({ preview: { contacts, exact, emails_first_hour }, isAsking }: { preview: WorkflowActivation; isAsking: boolean }) {
  const many = counted(contacts ?? 0, 'contact');
  const emails = emails_first_hour ?? 0;
  if (isAsking)
    return (
      <Text size="sm">
        This starts <strong>{many}</strong> now, with up to <strong>{counted(emails, 'email')}</strong> in the first hour. Emails that have
        been sent can't be taken back.
      </Text>
    );
  if (!contacts) return <Text size="sm">No contacts match now. Contacts start when they enter the segment.</Text>;
  return (
    <>
      <Text size="sm">
        <strong>{many}</strong> {contacts === 1 ? 'matches' : 'match'} now{exact ? '' : ', if the condition of the trigger is met'}. Start
        them too, or only contacts that enter the segment from now on?
      </Text>
      <Text size="sm" c="dimmed">
        {emails === 0
          ? 'No emails are sent in the first hour.'
          : `If they start too, up to ${count(emails)} ${emails === 1 ? 'email is' : 'emails are'} sent in the first hour.`}
      </Text>
    </>
  );
}
