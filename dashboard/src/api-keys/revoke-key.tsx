import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { keyText } from './api-key-table.tsx';
import { type ApiKey, useRevokeApiKey } from './api-keys.ts';
import classes from './revoke-key.module.css';

/** Confirms revoking a key. `undefined`: closed. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const { mutate, isPending, error, reset } = useRevokeApiKey();
  // Keeps the name on screen while the dialog fades out.
  const [shown, setShown] = useState(apiKey);
  if (apiKey && apiKey !== shown) setShown(apiKey);

  const close = () => {
    if (isPending) return;
    reset();
    onClose();
  };
  const revoke = (key: ApiKey) =>
    mutate(key, {
      onSuccess: () => {
        notifications.show({ message: `${key.name} was revoked.` });
        onClose();
      },
    });

  return (
    <Modal opened={apiKey !== undefined} onClose={close} title="Revoke this key?" closeButtonProps={{ 'aria-label': 'Close' }}>
      {shown && (
        <Stack gap="md">
          <div className={classes.key}>
            <Text fw={500} className={classes.name}>
              {shown.name}
            </Text>
            <Text size="xs" c="dimmed" ff="monospace">
              {keyText(shown)}
            </Text>
          </div>
          <Text size="sm">Apps that use this key stop working now. This can't be undone.</Text>
          {error && <ErrorAlert error={error} title="Couldn't revoke the key" />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} disabled={isPending} data-autofocus>
              Cancel
            </Button>
            <Button color="red" loading={isPending} onClick={() => revoke(shown)}>
              Revoke key
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
