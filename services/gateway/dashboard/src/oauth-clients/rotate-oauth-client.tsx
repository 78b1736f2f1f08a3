import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { graces } from '../secrets/graces.ts';
import { ClientSecret } from './client-secret.tsx';
import { type CreatedOauthClient, type OauthClient, useRotateOauthClient } from './oauth-clients.ts';

/** A new secret for a client; the old one works on for as long as is chosen. undefined: closed. */
export function RotateOauthClient({ client, onClose }: { client: OauthClient | undefined; onClose: () => void }) {
  const [grace, setGrace] = useState('86400');
  const [created, setCreated] = useState<CreatedOauthClient>();
  const { mutate, isPending, error, reset } = useRotateOauthClient();
  const close = () => {
    if (isPending) return;
    reset();
    setCreated(undefined);
    onClose();
  };
  return (
    <Modal
      opened={client !== undefined}
      onClose={close}
      size="lg"
      title={created ? 'Store the secret' : 'Rotate the secret?'}
      closeOnEscape={!created}
      closeOnClickOutside={false}
      withCloseButton={!created}
      closeButtonProps={{ 'aria-label': 'Cancel' }}
    >
      {created && <ClientSecret client={created} onStored={close} />}
      {client && !created && (
        <Stack gap="md">
          <Text size="sm">
            <strong>{client.name}</strong> gets a new secret. Tokens that it has go on working.
          </Text>
          <NativeSelect
            label="The old secret"
            data={graces}
            value={grace}
            onChange={(event) => setGrace(event.currentTarget.value)}
            data-autofocus
          />
          {error && <ErrorAlert error={error} title="The secret was not rotated" />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} disabled={isPending}>
              Keep it
            </Button>
            <Button loading={isPending} onClick={() => mutate({ id: client.id, graceSeconds: Number(grace) }, { onSuccess: setCreated })}>
              Rotate secret
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
