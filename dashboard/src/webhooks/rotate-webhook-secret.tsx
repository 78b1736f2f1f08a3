import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { graces } from '../secrets/graces.ts';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import { useRotateWebhookSecret } from './webhooks.ts';

/** Creates a new secret; requests are signed with the old one as well for the chosen time. */
export function RotateWebhookSecret({ id, opened, onClose }: { id: string; opened: boolean; onClose: () => void }) {
  const [grace, setGrace] = useState('86400');
  const { mutate, data: rotated, isPending, error, reset } = useRotateWebhookSecret(id);
  const close = () => {
    reset();
    onClose();
  };
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title="Rotate the signing secret?"
      shownTitle="Store the signing secret"
      isPending={isPending}
      shown={rotated && <WebhookSecret webhook={rotated} onStored={close} />}
    >
      <Stack gap="md">
        <Text size="sm">The webhook gets a new secret. Until the old one stops working, requests are signed with both.</Text>
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
          <Button loading={isPending} onClick={() => mutate(Number(grace))}>
            Rotate secret
          </Button>
        </Group>
      </Stack>
    </SecretDialog>
  );
}
