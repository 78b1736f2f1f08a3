import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Confirm } from '../shell/confirm.tsx';
import { type OauthClient, useRevokeOauthClient } from './oauth-clients.ts';

/** Asks before it ends the client; undefined: closed. */
export function RevokeOauthClient({ client, onClose }: { client: OauthClient | undefined; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useRevokeOauthClient();
  // While the dialog fades it still names the client it was opened for.
  const [shown, setShown] = useState(client);
  if (client && client !== shown) setShown(client);
  const close = () => {
    reset();
    onClose();
  };
  const revoke = ({ id, name }: OauthClient) =>
    mutate(id, {
      onSuccess: () => {
        notifications.show({ message: `${name} is revoked.` });
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
      failed="The client was not revoked"
      onConfirm={() => shown && revoke(shown)}
    >
      <Text size="sm">
        <strong>{shown?.name}</strong> and every token of it are refused from now on. It cannot be brought back.
      </Text>
    </Confirm>
  );
}
