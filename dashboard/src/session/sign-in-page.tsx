import { Alert, Loader, Stack, Title } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { RequestFailed } from '../api/errors.ts';
import { Logo } from '../theme/logo.tsx';
import { PasswordForm } from './password-form.tsx';
import type { Credentials } from './session.ts';
import { sessionQuery, useSignIn } from './session-query.ts';
import classes from './sign-in-page.module.css';
import { takeSignInToken } from './sign-in-token.ts';

/** Signs in with the one-time link that opened the page, or with email and password. */
export function SignInPage() {
  const { ended, to = '/' } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  // Opening a second link in the same tab changes only the fragment.
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const { mutate, isPending, isIdle, error, variables } = useSignIn();
  const [hasLink] = useState(() => window.location.hash !== '');
  // A user who opens a link is usually signed out, so the session is checked only if the link fails.
  const { data: session } = useQuery({ ...sessionQuery, enabled: hasLink ? error !== null : isIdle });

  const signInWith = (credentials: Credentials) => mutate(credentials, { onSuccess: () => void navigate({ href: to, replace: true }) });
  const takeLink = useEffectEvent(() => {
    const token = takeSignInToken();
    if (token !== undefined) signInWith({ token });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new fragment is a new link.
  useEffect(() => takeLink(), [hash]);

  if (session && !isPending) return <Navigate to="/" href={to} replace />;
  // A used or invalid link stays invalid; after any other error the same link can be retried.
  const isUsedUp = error instanceof RequestFailed && error.status < 500 && error.status !== 429;

  return (
    <main className={classes.page}>
      <title>Sign in · Marketing Platform</title>
      <Stack gap="lg" className={classes.panel}>
        <Logo size={40} />
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
            title="Couldn't sign in"
            {...(!isUsedUp && variables !== undefined && 'token' in variables && { onRetry: () => signInWith(variables) })}
          />
        )}
        {ended && isIdle && (
          <Alert icon={<IconInfoCircle aria-hidden />} color="gray" role="status">
            Your session has ended. Sign in again to continue.
          </Alert>
        )}
        {(!isPending || (variables && 'email' in variables)) && <PasswordForm isPending={isPending} onSubmit={signInWith} />}
      </Stack>
    </main>
  );
}
