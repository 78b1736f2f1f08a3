import { Alert, Anchor, Button, Loader, Stack, Text, Title } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Navigate, useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { RequestFailed } from '../api/errors.ts';
import { Logo } from '../theme/logo.tsx';
import { ChooseAccount } from './choose-account.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProofForm } from './proof-form.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { type Credentials, isDue, type SignInOutcome } from './session.ts';
import { dueQuery, sessionQuery, signInProvidersQuery, useChooseAccount, useFinishSignIn, useSignIn } from './session-query.ts';
import classes from './sign-in-page.module.css';
import type { SignInFailure } from './sign-in-search.ts';
import { takeSignInToken } from './sign-in-token.ts';
import { SingleSignOnForm } from './single-sign-on-form.tsx';

const failureTexts: Readonly<Record<SignInFailure, string>> = {
  expired: 'This sign-in took too long, or began in another browser. Try again.',
  refused: 'The identity provider did not confirm the sign-in. Try again, or ask your administrator.',
  unavailable: 'The identity provider is unavailable or disabled. Try again later, or ask your administrator.',
  unverified_email: 'The identity provider has not verified your email address. Ask your administrator.',
  not_allowed: 'You cannot sign in here with this identity. Ask your administrator for an invitation.',
  no_role: 'Your identity has no role here. Ask your administrator.',
};

const requiresSingleSignOn = (error: Error | null) =>
  error instanceof RequestFailed && error.details.some(({ code }) => code === 'single_sign_on_required');

const hasToken = (given: Credentials | 'passkey' | undefined) => typeof given === 'object' && 'token' in given;

/**
 * Signs in with the one-time link that opened the page, with email and password, or with an identity provider. Where the installation has
 * providers, a link is used only once the user has chosen it, because a provider can accept the invitation instead.
 */
export function SignInPage() {
  const { ended, choose, confirm, failed, provider, to = '/' } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  // Opening a second link in the same tab changes only the fragment.
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const { mutate, isPending, isIdle, error, variables, data: outcome, reset } = useSignIn();
  const [isSingle, setSingle] = useState(provider !== undefined);
  const [hasLink] = useState(() => window.location.hash !== '');
  // A user who opens a link is usually signed out, so the session is checked only if the link fails.
  const { data: session } = useQuery({ ...sessionQuery, enabled: hasLink ? error !== null : isIdle });

  const queries = useQueryClient();
  const { data: offered = [] } = useQuery(signInProvidersQuery);
  const [link, setLink] = useState<string>();
  const [hasReturned, setReturned] = useState(choose === true || confirm === true);
  const returned = useQuery({ ...dueQuery(choose ? 'account-choice' : 'second-factor'), enabled: hasReturned });

  const chosen = useChooseAccount();
  const second = useFinishSignIn();
  const due = [chosen.data, outcome, hasReturned ? returned.data : undefined].find((led) => led !== undefined && isDue(led));
  const open = { onSuccess: (opened: SignInOutcome) => !isDue(opened) && void navigate({ href: to, replace: true }) };
  const signInWith = (given: Credentials | 'passkey') => mutate(given, open);
  const startAgain = () => {
    setReturned(false);
    chosen.reset();
    second.reset();
    reset();
  };
  /** Of another user, or of the same in another account. */
  const requestAnother = () => {
    setSingle(false);
    reset();
  };
  const takeLink = useEffectEvent(async () => {
    const token = takeSignInToken();
    if (token === undefined) return;
    const providers = await queries.ensureQueryData(signInProvidersQuery).catch(() => []);
    if (providers.length === 0) signInWith({ token });
    else setLink(token);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new fragment is a new link.
  useEffect(() => void takeLink(), [hash]);

  if (session && !isPending && !due && !hasReturned) return <Navigate to="/" href={to} replace />;
  // A used or invalid link stays invalid; after any other error the same link can be retried.
  const isUsedUp = error instanceof RequestFailed && error.status < 500 && error.status !== 429;

  const isRequired = requiresSingleSignOn(error);
  const invitation = isRequired && typeof variables === 'object' && 'token' in variables ? variables.token : undefined;
  const isWaiting = (isPending && hasToken(variables)) || (hasReturned && returned.isPending);
  const isOffering = link !== undefined && isIdle;
  const isAsking = !due && !isWaiting && !isOffering;

  return (
    <main className={classes.page}>
      <title>Sign in · Marketing Platform</title>
      <Stack gap="lg" className={classes.panel}>
        <Logo size={40} />
        <Title order={1} size="h2">
          Sign in
        </Title>
        {due && 'accounts' in due && (
          <ChooseAccount accounts={due.accounts} choosing={chosen} onChoose={(id) => chosen.mutate(id, open)}>
            {requiresSingleSignOn(chosen.error) && <SingleSignOnForm key={chosen.variables} to={to} account={chosen.variables} />}
          </ChooseAccount>
        )}
        {due && 'methods' in due && (
          <>
            <Text size="sm">Confirm that it&apos;s you.</Text>
            <ProofForm
              methods={due.methods}
              proving={second}
              submit="Sign in"
              failed="Couldn't sign in"
              onProve={(proof) => second.mutate(proof, open)}
            />
          </>
        )}
        {due && (
          <Anchor component="button" type="button" size="sm" ta="start" onClick={startAgain}>
            Start again
          </Anchor>
        )}
        {isWaiting && (
          <div className={classes.waiting} role="status">
            <Loader size="sm" aria-hidden /> Signing you in…
          </div>
        )}
        {error && (
          <ErrorAlert
            error={error}
            title="Couldn't sign in"
            {...(!isUsedUp && hasToken(variables) && { onRetry: () => signInWith(variables) })}
          />
        )}
        {hasReturned && returned.error && <ErrorAlert error={returned.error} title="Couldn't sign in" />}
        {ended && isIdle && (
          <Alert icon={<IconInfoCircle aria-hidden />} color="gray" role="status">
            Your session has ended. Sign in again to continue.
          </Alert>
        )}
        {failed && isIdle && (
          <Alert icon={<IconInfoCircle aria-hidden />} color="yellow" role="alert">
            {failureTexts[failed]}
          </Alert>
        )}
        {isOffering && (
          <>
            <ProviderButtons providers={offered} to={to} token={link} />
            <Button onClick={() => signInWith({ token: link })}>Continue with this link</Button>
          </>
        )}
        {isAsking && (isSingle || isRequired) && <SingleSignOnForm to={to} token={invitation} provider={provider} />}
        {isAsking && !isSingle && !isRequired && <PasswordForm isPending={isPending} onSubmit={signInWith} />}
        {isAsking && !isSingle && offered.length > 0 && <ProviderButtons providers={offered} to={to} />}
        {isAsking && invitation === undefined && (
          <Button variant="default" onClick={isRequired ? requestAnother : () => setSingle(!isSingle)}>
            {isSingle || isRequired ? 'Use a password' : 'Continue with single sign-on'}
          </Button>
        )}
      </Stack>
    </main>
  );
}
