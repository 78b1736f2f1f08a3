import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { useLastDefined } from '../shell/use-last-defined.ts';
import { type OauthClient, useRevokeOauthClient } from './oauth-clients.ts';

/** Confirms revoking a client. `undefined`: closed. */
export function RevokeOauthClient({ client, onClose }: { client: OauthClient | undefined; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useRevokeOauthClient();
  const shown = useLastDefined(client);
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
    <ConfirmDialog
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
    </ConfirmDialog>
  );
}
