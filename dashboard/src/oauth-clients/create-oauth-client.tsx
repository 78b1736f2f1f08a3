import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { permissions } from '../api-keys/permissions.ts';
import { ScopesField } from '../api-keys/scopes-field.tsx';
import { SecretDialog } from '../secrets/secret-dialog.tsx';
import { ClientSecret } from './client-secret.tsx';
import { type NewOauthClient, useCreateOauthClient } from './oauth-clients.ts';

/** Asks for the settings of a client, then shows its secret once. */
export function CreateOauthClient({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { mutate, data: created, isPending, error, reset } = useCreateOauthClient();
  const close = () => {
    reset();
    onClose();
  };
  return (
    <SecretDialog
      opened={opened}
      onClose={close}
      title="New client"
      shownTitle="Store the secret"
      isPending={isPending}
      shown={created && <ClientSecret client={created} onStored={close} />}
    >
      <NewClientForm isPending={isPending} error={error} onSubmit={mutate} onCancel={close} />
    </SecretDialog>
  );
}

type Props = { isPending: boolean; error: Error | null; onSubmit: (wanted: NewOauthClient) => void; onCancel: () => void };

function NewClientForm({ isPending, error, onSubmit, onCancel }: Props) {
  const [name, setName] = useState('');
  const [permission, setPermission] = useState<NewOauthClient['permission']>('read_only');
  const [scopes, setScopes] = useState<NewOauthClient['scopes']>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) onSubmit({ name, permission, ...(scopes && { scopes }) });
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <TextInput
          data-autofocus
          label="Name"
          description="The app that will use this client."
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fieldError(error, '/name')}
        />
        <Radio.Group
          label="Permission"
          value={permission}
          onChange={(value) => setPermission(permissions.find(({ level }) => level === value)?.level ?? permission)}
        >
          <Stack gap="xs" mt="xs">
            {permissions.map(({ level, name: label, means }) => (
              <Radio key={level} value={level} label={label} description={means} />
            ))}
          </Stack>
        </Radio.Group>
        <ScopesField scopes={scopes ?? null} onChange={setScopes} error={fieldError(error, '/scopes')} />
        {error && <ErrorAlert error={error} title="Couldn't create the client" shownElsewhere={['/name', '/scopes']} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Create client
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
