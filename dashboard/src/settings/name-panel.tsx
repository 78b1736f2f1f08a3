import { Button, Group, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { UnsavedChanges } from '../form/unsaved-changes.tsx';
import { Panel } from '../shell/panel.tsx';
import { useRenameAccount } from './account.ts';

export function NamePanel({ account }: { account: { name: string } }) {
  const [name, setName] = useState(account.name);
  const { mutate, isPending, error } = useRenameAccount();
  const nameError = fieldError(error, '/name');
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    mutate(name, {
      onSuccess: (renamed) => {
        setName(renamed.name);
        notifications.show({ message: 'Saved.' });
      },
    });
  };
  return (
    <Panel title="Name">
      <form onSubmit={save} noValidate>
        <UnsavedChanges when={name.trim() !== account.name} />
        <Group align="start" gap="sm">
          <TextInput
            aria-label="Account name"
            autoComplete="organization"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={nameError}
            flex="1 1 220px"
            maw={360}
          />
          <Button type="submit" variant="default" loading={isPending} disabled={name.trim() === account.name}>
            Rename
          </Button>
        </Group>
        {error && !nameError && <ErrorAlert error={error} title="Couldn't rename the account" />}
      </form>
    </Panel>
  );
}
