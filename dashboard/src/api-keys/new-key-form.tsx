import { Button, Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import type { NewApiKey } from './api-keys.ts';
import { dayOf, expiryOf, lifetimes } from './expiry.ts';
import classes from './new-key-form.module.css';
import { permissions } from './permissions.ts';
import { ScopesField } from './scopes-field.tsx';

type Props = { isPending: boolean; error: Error | null; onSubmit: (wanted: NewApiKey) => void; onCancel: () => void };

export function NewKeyForm({ isPending, error, onSubmit, onCancel }: Props) {
  const [name, setName] = useState('');
  const [permission, setPermission] = useState(permissions[0]?.level ?? 'read_only');
  const [scopes, setScopes] = useState<NewApiKey['scopes']>(null);
  const [lifetime, setLifetime] = useState('never');
  const [day, setDay] = useState('');
  const [isNameMissing, setNameMissing] = useState(false);
  const nameField = useRef<HTMLInputElement>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    setNameMissing(name.trim() === '');
    if (name.trim() === '') return nameField.current?.focus();
    const expires_at = expiryOf(lifetime, day, Date.now());
    onSubmit({ name, permission, ...(scopes && { scopes }), ...(expires_at && { expires_at }) });
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <TextInput
          ref={nameField}
          data-autofocus
          label="Name"
          description="The app that will use this key."
          placeholder="Website backend"
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={isNameMissing ? 'Give the key a name.' : fieldError(error, '/name')}
        />
        <Radio.Group
          label="Permission"
          value={permission}
          onChange={(value) => setPermission(permissions.find(({ level }) => level === value)?.level ?? permission)}
          error={fieldError(error, '/permission')}
        >
          <div className={classes.permissions}>
            {permissions.map(({ level, name: label, means }) => (
              <Radio key={level} value={level} label={label} description={means} className={classes.permission} />
            ))}
          </div>
        </Radio.Group>
        <ScopesField scopes={scopes ?? null} onChange={setScopes} error={fieldError(error, '/scopes')} />
        <div className={classes.expiry}>
          <NativeSelect
            label="Expires"
            data={lifetimes}
            value={lifetime}
            onChange={(event) => setLifetime(event.currentTarget.value)}
            error={lifetime === 'date' ? undefined : fieldError(error, '/expires_at')}
          />
          {lifetime === 'date' && (
            <TextInput
              type="date"
              label="Last day"
              required
              withAsterisk={false}
              min={dayOf(new Date())}
              value={day}
              onChange={(event) => setDay(event.currentTarget.value)}
              error={fieldError(error, '/expires_at')}
            />
          )}
        </div>
        {error && (
          <ErrorAlert error={error} title="Couldn't generate the key" shownElsewhere={['/name', '/permission', '/scopes', '/expires_at']} />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Generate key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
