import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { graces } from '../secrets/graces.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { type ApiKey, useRotateApiKey } from './api-keys.ts';
import { GeneratedKey } from './generated-key.tsx';

/** Replaces a key: the new one is shown once, the old one works on for as long as is chosen. undefined: closed. */
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
            <strong>{apiKey.name}</strong> gets a new text with the same permission. Put it into your program while the old one still works.
          </Text>
          <NativeSelect
            label="The old key"
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
