import { Alert, Loader, Stack, Title } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { RequestFailed } from '../api/request-failed.ts';
import { Mark } from '../shell/mark.tsx';
import { PasswordForm } from './password-form.tsx';
import type { Credentials } from './session.ts';
import { sessionQuery, useSignIn } from './session-query.ts';
import classes from './sign-in-page.module.css';
import { takeSignInToken } from './sign-in-token.ts';

/** Signs in with the one-time link that it was opened by, or with e-mail address and password. */
export function SignInPage() {
  const { ended } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  // A second link opened in the same tab changes nothing but the fragment.
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const { mutate, isPending, isIdle, error, variables } = useSignIn();
  const [hasLink] = useState(() => window.location.hash !== '');
  // Who opens a link is usually not signed in; that is asked only when the link does not help.
  const { data: session } = useQuery({ ...sessionQuery, enabled: hasLink ? error !== null : isIdle });

  const signInWith = (credentials: Credentials) => mutate(credentials, { onSuccess: () => void navigate({ to: '/', replace: true }) });
  const takeLink = useEffectEvent(() => {
    const token = takeSignInToken();
    if (token !== undefined) signInWith({ token });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new fragment is a new link.
  useEffect(() => takeLink(), [hash]);

  if (session && !isPending) return <Navigate to="/" replace />;
  // A link that is spent stays spent; anything else may be tried again with the same one.
  const isSpent = error instanceof RequestFailed && error.status < 500 && error.status !== 429;

  return (
    <main className={classes.page}>
      <title>Sign in · Marketing Platform</title>
      <Stack gap="lg" className={classes.panel}>
        <Mark size={40} />
        <Title order={1} size="h2">
          Sign in
        </Title>
        {isPending && variables && 'token' in variables && (
          <div className={classes.waiting} role="status">
            <Loader size="sm" aria-hidden /> Signing you in…
          </div>
        )}
        {error && (
          <ErrorAlert
            error={error}
            title="You are not signed in"
            {...(!isSpent && variables !== undefined && 'token' in variables && { onRetry: () => signInWith(variables) })}
          />
        )}
        {ended && isIdle && (
          <Alert icon={<IconInfoCircle aria-hidden />} color="gray" role="status">
            Your session has ended. Sign in again to go on.
          </Alert>
        )}
        {(!isPending || (variables && 'email' in variables)) && <PasswordForm isPending={isPending} onSubmit={signInWith} />}
      </Stack>
    </main>
  );
}
