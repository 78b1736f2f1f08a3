import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { graces } from '../secrets/graces.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { ClientSecret } from './client-secret.tsx';
import { type OauthClient, useRotateOauthClient } from './oauth-clients.ts';

/** A new secret for a client; the old one works on for as long as is chosen. undefined: closed. */
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
            <Button loading={isPending} onClick={() => mutate({ id: client.id, graceSeconds: Number(grace) })}>
              Rotate secret
            </Button>
          </Group>
        </Stack>
      )}
    </SecretDialog>
  );
}
