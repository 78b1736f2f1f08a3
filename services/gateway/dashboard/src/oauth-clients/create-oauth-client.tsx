import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { faultIn } from '../api/request-failed.ts';
import { permissions } from '../api-keys/permissions.ts';
import { ScopesField } from '../api-keys/scopes-field.tsx';
import { ClientSecret } from './client-secret.tsx';
import { type CreatedOauthClient, type NewOauthClient, useCreateOauthClient } from './oauth-clients.ts';

/** First what it shall be, then its secret. The second step is left by its own button only. */
export function CreateOauthClient({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedOauthClient>();
  const close = () => {
    onClose();
    setCreated(undefined);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={created ? 'Store the secret' : 'New client'}
      closeOnEscape={!created}
      closeOnClickOutside={false}
      withCloseButton={!created}
      closeButtonProps={{ 'aria-label': 'Cancel' }}
    >
      {created ? <ClientSecret client={created} onStored={close} /> : <NewClientForm onCreated={setCreated} onCancel={close} />}
    </Modal>
  );
}

type Props = { onCreated: (client: CreatedOauthClient) => void; onCancel: () => void };

function NewClientForm({ onCreated, onCancel }: Props) {
  const [name, setName] = useState('');
  const [permission, setPermission] = useState<NewOauthClient['permission']>('read_only');
  const [scopes, setScopes] = useState<NewOauthClient['scopes']>(null);
  const { mutate, isPending, error } = useCreateOauthClient();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate({ name, permission, ...(scopes && { scopes }) }, { onSuccess: onCreated });
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <TextInput
          data-autofocus
          label="Name"
          description="Which program will use it."
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={faultIn(error, '/name')}
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
        <ScopesField scopes={scopes ?? null} onChange={setScopes} error={faultIn(error, '/scopes')} />
        {error && <ErrorAlert error={error} title="The client was not created" shownElsewhere={['/name', '/scopes']} />}
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
