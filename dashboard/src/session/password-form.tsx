import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { HowToSignIn } from './how-to-sign-in.tsx';
import { hasPasskeys } from './passkey.ts';
import type { Credentials } from './session.ts';
import { useRequestLink } from './session-query.ts';

type Props = { isPending: boolean; onSubmit: (given: Credentials | 'passkey') => void };

/** Signs in with email and password or with a passkey, or emails a sign-in link if the password is forgotten. */
export function PasswordForm({ isPending, onSubmit }: Props) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [hasForgotten, setForgotten] = useState(false);
  const link = useRequestLink();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending || link.isPending) return;
    if (hasForgotten) link.mutate(email);
    else onSubmit({ email, password });
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          type="email"
          label="Email"
          required
          withAsterisk={false}
          autoComplete="username"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        {!hasForgotten && (
          <PasswordInput
            label="Password"
            required
            withAsterisk={false}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
          />
        )}
        {link.error && <ErrorAlert error={link.error} title="Couldn't email the link" />}
        {link.isSuccess && (
          <Alert color="gray" role="status" icon={<IconMailCheck aria-hidden />}>
            If this address belongs to a user, a link is on its way. It works once, within an hour. Then set a new password.
          </Alert>
        )}
        <Button type="submit" loading={isPending || link.isPending}>
          {hasForgotten ? 'Email me a link' : 'Sign in'}
        </Button>
        {!hasForgotten && hasPasskeys() && (
          <Button variant="default" disabled={isPending} onClick={() => onSubmit('passkey')}>
            Use a passkey
          </Button>
        )}
        <Anchor component="button" type="button" size="sm" ta="start" onClick={() => setForgotten(!hasForgotten)}>
          {hasForgotten ? 'Use my password' : 'Forgot your password?'}
        </Anchor>
        <HowToSignIn />
      </Stack>
    </form>
  );
}
