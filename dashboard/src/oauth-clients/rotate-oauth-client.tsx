import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { graces } from '../secrets/graces.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { ClientSecret } from './client-secret.tsx';
import { type OauthClient, useRotateOauthClient } from './oauth-clients.ts';

/** Creates a new secret for a client; the old one keeps working for the chosen time. `undefined`: closed. */
export function RotateOauthClient({ client, onClose }: { client: OauthClient | undefined; onClose: () => void }) {
  const [grace, setGrace] = useState('86400');
  const { mutate, data: created, isPending, error, reset } = useRotateOauthClient();
  const close = () => {
    reset();
    onClose();
  };
  return (
    <SecretDialog
      opened={client !== undefined}
      onClose={close}
      title="Rotate the secret?"
      shownTitle="Store the secret"
      isPending={isPending}
      shown={created && <ClientSecret client={created} onStored={close} />}
    >
      {client && (
        <Stack gap="md">
          <Text size="sm">
            <strong>{client.name}</strong> gets a new secret. Its current tokens keep working.
          </Text>
          <NativeSelect
            label="Old secret"
            data={graces}
            value={grace}
            onChange={(event) => setGrace(event.currentTarget.value)}
            data-autofocus
          />
          {error && <ErrorAlert error={error} title="Couldn't rotate the secret" />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close} disabled={isPending}>
              Cancel
            </Button>
            <Button loading={isPending} onClick={() => mutate({ id: client.id, graceSeconds: Number(grace) })}>
              Rotate secret
            </Button>
          </Group>
        </Stack>
      )}
    </SecretDialog>
  );
}
