import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { fieldError } from '../api/request-failed.ts';
import { sessionQuery, useSetPassword } from '../session/session-query.ts';
import { Panel } from '../shell/panel.tsx';

export function PasswordPanel() {
  const { data: session } = useQuery(sessionQuery);
  const [email, setEmail] = useState(session?.email ?? '');
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const { mutate, isPending, error } = useSetPassword();
  if (!session) return null;

  const save = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const body = {
      new_password: wanted,
      ...(email !== '' && { email }),
      ...(session.needsCurrentPassword && { current_password: current }),
    };
    mutate(body, {
      onSuccess: () => {
        setCurrent('');
        setWanted('');
        notifications.show({ message: 'Your password is set. Your other sessions were signed out.' });
      },
    });
  };

  return (
    <Panel title={session.hasPassword ? 'Change your password' : 'Set a password'}>
      <form onSubmit={save} noValidate>
        <Stack gap="md" maw={420}>
          {!session.hasPassword && (
            <Text size="sm" c="dimmed">
              With a password, you can sign in without a link.
            </Text>
          )}
          <TextInput
            type="email"
            label="Email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={fieldError(error, '/email')}
          />
          {session.needsCurrentPassword && (
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              value={current}
              onChange={(event) => setCurrent(event.currentTarget.value)}
              error={fieldError(error, '/current_password')}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the current password', tabIndex: 0 }}
            />
          )}
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            value={wanted}
            onChange={(event) => setWanted(event.currentTarget.value)}
            error={fieldError(error, '/new_password')}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the new password', tabIndex: 0 }}
          />
          {error && (
            <ErrorAlert error={error} title="Couldn't set the password" shownElsewhere={['/email', '/current_password', '/new_password']} />
          )}
          <Group>
            <Button type="submit" loading={isPending}>
              {session.hasPassword ? 'Change password' : 'Set password'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
