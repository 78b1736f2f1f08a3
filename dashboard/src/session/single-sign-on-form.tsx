import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type SingleSignOnStart, startSingleSignOn } from './session.ts';

type Props = {
  /** The page to open then. */
  to: string;
  /** The invitation that opened the page, which then finds the provider instead of an email address. */
  token?: string | undefined;
  /** The chosen account, which requires single sign-on. */
  account?: string | undefined;
  /** The provider whose sign-in link opened the page. */
  provider?: string | undefined;
};

/** Finds the identity provider by email address, invitation or account, and goes to its page. */
export function SingleSignOnForm({ to, token, account, provider }: Props) {
  const [email, setEmail] = useState('');
  const { mutate, data, error, isPending, isSuccess } = useMutation({
    mutationFn: startSingleSignOn,
    gcTime: 0,
    onSuccess: ({ url }) => {
      if (url !== null) window.location.assign(url);
    },
  });
  const isKnown = token !== undefined || account !== undefined || provider !== undefined;
  const whose: SingleSignOnStart = {
    to,
    ...(token !== undefined && { token }),
    ...(account !== undefined && { account_id: account }),
    ...(provider !== undefined && { provider_id: provider }),
    ...(!isKnown && { email }),
  };
  const isLeaving = isPending || (isSuccess && data.url !== null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isLeaving) mutate(whose);
  };

  if (data?.url === null)
    return (
      <Stack gap="sm">
        <Text size="sm">Choose where to sign in.</Text>
        {data.providers.map(({ id, name }) => (
          <Button key={id} variant="default" onClick={() => mutate({ ...whose, provider_id: id })}>
            {name}
          </Button>
        ))}
      </Stack>
    );
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {!isKnown && (
          <TextInput
            type="email"
            label="Work email"
            required
            withAsterisk={false}
            autoComplete="username"
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        )}
        {error && <ErrorAlert error={error} title="Couldn't continue" />}
        <Button type="submit" loading={isLeaving}>
          {isKnown ? 'Continue with single sign-on' : 'Continue'}
        </Button>
      </Stack>
    </form>
  );
}
