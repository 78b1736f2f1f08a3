import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { useLastDefined } from '../shell/use-last-defined.ts';
import { keyText } from './api-key-table.tsx';
import { type ApiKey, useRevokeApiKey } from './api-keys.ts';
import classes from './revoke-key.module.css';

/** Confirms revoking a key. `undefined`: closed. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useRevokeApiKey();
  const shown = useLastDefined(apiKey);
  const close = () => {
    reset();
    onClose();
  };
  const revoke = (key: ApiKey) =>
    mutate(key, {
      onSuccess: () => {
        notifications.show({ message: `${key.name} was revoked.` });
        close();
      },
    });

  return (
    <ConfirmDialog
      opened={apiKey !== undefined}
      onClose={close}
      title="Revoke this key?"
      confirm="Revoke key"
      isPending={isPending}
      error={error}
      failed="Couldn't revoke the key"
      onConfirm={() => shown && revoke(shown)}
    >
      {shown && (
        <div className={classes.key}>
          <Text fw={500} className={classes.name}>
            {shown.name}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {keyText(shown)}
          </Text>
        </div>
      )}
      <Text size="sm">Apps that use this key stop working now. This can't be undone.</Text>
    </ConfirmDialog>
  );
}
