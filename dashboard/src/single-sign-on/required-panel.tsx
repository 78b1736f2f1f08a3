import { Alert, Stack, Switch, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { ConfirmDialog } from '../dialogs/confirm-dialog.tsx';
import { Panel } from '../page/panel.tsx';
import { useChangeAccount } from '../settings/account.ts';

/** Whether users can sign in with a password or a link, too. */
export function RequiredPanel({ isRequired }: { isRequired: boolean }) {
  const { mutate, isPending, error, reset } = useChangeAccount();
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    reset();
    setAsking(false);
  };
  const change = (single_sign_on: 'optional' | 'required') =>
    mutate(
      { single_sign_on },
      {
        onSuccess: () => {
          setAsking(false);
          notifications.show({ message: 'Saved.' });
        },
      },
    );
  return (
    <Panel title="Requirement">
      <Stack gap="md">
        <Switch
          label="Require single sign-on"
          description="Passwords, sign-in links and forgotten passwords are refused for all users except the owner."
          checked={isRequired}
          disabled={isPending}
          onChange={({ currentTarget }) => (currentTarget.checked ? setAsking(true) : change('optional'))}
        />
        {error && !isAsking && <ErrorAlert error={error} title="Couldn't save the change" />}
      </Stack>
      <ConfirmDialog
        opened={isAsking}
        onClose={close}
        title="Require single sign-on?"
        confirm="Require single sign-on"
        failed="Couldn't save the change"
        isPending={isPending}
        error={error}
        onConfirm={() => change('required')}
      >
        <Text size="sm">
          Everyone who has signed in with a password or a link is signed out, except the owner. You too, if you have not signed in with a
          provider and are not the owner.
        </Text>
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          Try to sign in with a provider in another browser first. If the provider is unavailable, only the owner can sign in. API keys keep
          working.
        </Alert>
      </ConfirmDialog>
    </Panel>
  );
}
