import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { graces } from '../secrets/graces.ts';
import { type ApiKey, type GeneratedApiKey, useRotateApiKey } from './api-keys.ts';
import { GeneratedKey } from './generated-key.tsx';

/** Replaces a key: the new one is shown once, the old one works on for as long as is chosen. undefined: closed. */
export function RotateKey({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  const [grace, setGrace] = useState('86400');
  const [generated, setGenerated] = useState<GeneratedApiKey>();
  const { mutate, isPending, error, reset } = useRotateApiKey();
  const close = () => {
    if (isPending) return;
    reset();
    setGenerated(undefined);
    onClose();
  };

  return (
    <Modal
      opened={apiKey !== undefined}
      onClose={close}
      size="lg"
      title={generated ? 'Store your new key' : 'Rotate this key?'}
      closeOnEscape={!generated}
      closeOnClickOutside={false}
      withCloseButton={!generated}
      closeButtonProps={{ 'aria-label': 'Cancel' }}
    >
      {generated && <GeneratedKey apiKey={generated} onStored={close} />}
      {apiKey && !generated && (
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
          {error && <ErrorAlert error={error} title="The key was not rotated" />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} disabled={isPending}>
              Keep it
            </Button>
            <Button loading={isPending} onClick={() => mutate({ apiKey, graceSeconds: Number(grace) }, { onSuccess: setGenerated })}>
              Rotate key
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
