import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ErrorAlert } from '../api/error-alert.tsx';
import { type SignInProvider, startSingleSignOn } from './session.ts';

type Props = {
  providers: readonly SignInProvider[];
  /** The page to open then. */
  to: string;
  /** The invitation that is accepted with the provider. */
  token?: string | undefined;
};

/** Continues with an identity provider of the whole installation. */
export function ProviderButtons({ providers, to, token }: Props) {
  const { mutate, isPending, isSuccess, variables, error } = useMutation({
    mutationFn: startSingleSignOn,
    gcTime: 0,
    onSuccess: ({ url }) => {
      if (url !== null) window.location.assign(url);
    },
  });
  const isLeaving = isPending || isSuccess;
  return (
    <Stack gap="sm">
      {error && <ErrorAlert error={error} title="Couldn't continue" />}
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          variant="default"
          loading={isLeaving && variables.provider_id === id}
          disabled={isLeaving}
          onClick={() => mutate({ to, provider_id: id, ...(token !== undefined && { token }) })}
        >
          Continue with {name}
        </Button>
      ))}
    </Stack>
  );
}
