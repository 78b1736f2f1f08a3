import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { graces } from '../secrets/graces.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { type ApiKey, useRotateApiKey } from './api-keys.ts';
import { GeneratedKey } from './generated-key.tsx';

/** Replaces a key: shows the new one once; the old one keeps working for the chosen time. `undefined`: closed. */
export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const [grace, setGrace] = useState('86400');
  const { mutate, data: generated, isPending, error, reset } = useRotateApiKey();
  const close = () => {
    reset();
    onClose();
  };

  return (
    <SecretDialog
      opened={apiKey !== undefined}
      onClose={close}
      title="Rotate this key?"
      shownTitle="Store your new key"
      isPending={isPending}
      shown={generated && <GeneratedKey apiKey={generated} onStored={close} />}
    >
      {apiKey && (
        <Stack gap="md">
          <Text size="sm">
            <strong>{apiKey.name}</strong> gets a new key with the same permission. Switch your app to it while the old key still works.
          </Text>
          <NativeSelect
            label="Old key"
            data={graces}
            value={grace}
            onChange={(event) => setGrace(event.currentTarget.value)}
            data-autofocus
          />
          {error && <ErrorAlert error={error} title="Couldn't rotate the key" />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} disabled={isPending}>
              Cancel
            </Button>
            <Button loading={isPending} onClick={() => mutate({ apiKey, graceSeconds: Number(grace) })}>
              Rotate key
            </Button>
          </Group>
        </Stack>
      )}
    </SecretDialog>
  );
}
