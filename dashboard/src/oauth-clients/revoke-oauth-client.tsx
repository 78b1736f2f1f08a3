import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Confirm } from '../shell/confirm.tsx';
import { type OauthClient, useRevokeOauthClient } from './oauth-clients.ts';

/** Confirms revoking a client. `undefined`: closed. */
export function RevokeOauthClient({ client, onClose }: { client: OauthClient | undefined; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useRevokeOauthClient();
  // Keeps the name on screen while the dialog fades out.
  const [shown, setShown] = useState(client);
  if (client && client !== shown) setShown(client);
  const close = () => {
    reset();
    onClose();
  };
  const revoke = ({ id, name }: OauthClient) =>
    mutate(id, {
      onSuccess: () => {
        notifications.show({ message: `${name} was revoked.` });
        close();
      },
    });
  return (
    <Confirm
      opened={client !== undefined}
      onClose={close}
      title="Revoke this client?"
      confirm="Revoke client"
      isPending={isPending}
      error={error}
      failed="Couldn't revoke the client"
      onConfirm={() => shown && revoke(shown)}
    >
      <Text size="sm">
        <strong>{shown?.name}</strong> and all its tokens stop working now. This can't be undone.
      </Text>
    </Confirm>
  );
}
