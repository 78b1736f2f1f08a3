import { Alert, Button, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import classes from '../session/sign-in-page.module.css';
import { Logo } from '../theme/logo.tsx';
import { accessDestination } from './access-destination.ts';
import { type Authorization, useAuthorization, useDecide } from './authorization.ts';
import { ScopeList } from './scope-list.tsx';

/** The page on which a user allows an application to use the account, or not. */
export function AuthorizePage() {
  const [request] = useState(() => new URLSearchParams(window.location.search).get('request') ?? '');
  const { data: authorization, error, isPending } = useAuthorization(request);
  return (
    <main className={classes.page}>
      <title>Connect an application · Marketing Platform</title>
      <Stack gap="lg" className={classes.panel}>
        <Logo size={40} />
        {isPending && <Loader size="sm" role="status" aria-label="Loading the request" />}
        {error && (
          <>
            <Title order={1} size="h2">
              This application can&apos;t be connected
            </Title>
            <ErrorAlert error={error} title="The request is not valid" />
            <Text size="sm">Nothing was shared. Go back to the application and try again, or ask its developer.</Text>
          </>
        )}
        {authorization && <Consent authorization={authorization} request={request} />}
      </Stack>
    </main>
  );
}

function Consent({ authorization, request }: { authorization: Authorization; request: string }) {
  const { application, developer, account, redirectUri, scopes, missing, redirectTo } = authorization;
  const decide = useDecide(request, scopes);
  const decideAndReturn = (allow: boolean) => decide.mutate(allow, { onSuccess: (to) => window.location.assign(to) });
  const isBusy = decide.isPending || decide.isSuccess;

  if (redirectTo !== undefined) {
    return (
      <>
        <Title order={1} size="h2">
          {application} can&apos;t be connected
        </Title>
        <Alert color="yellow" role="alert" icon={<IconAlertTriangle aria-hidden />}>
          {new URL(redirectTo).searchParams.get('error_description')}
        </Alert>
        <Button component="a" href={redirectTo} variant="default">
          Back to {application}
        </Button>
      </>
    );
  }
  return (
    <>
      <Title order={1} size="h2">
        Connect {application} to {account}?
      </Title>
      <Stack gap="xs">
        <Text size="sm" id="scopes">
          <strong>{application}</strong> will be able to:
        </Text>
        <ScopeList scopes={scopes} labelledBy="scopes" />
        {missing.length > 0 && (
          <>
            <Text size="sm" id="missing" c="dimmed">
              It also asks for this, which your role does not allow:
            </Text>
            <ScopeList scopes={missing} labelledBy="missing" />
          </>
        )}
      </Stack>
      <Text size="sm" c="dimmed">
        {developer === null
          ? 'Your own account made this application.'
          : `The account “${developer}” made this application; nobody has reviewed it.`}{' '}
        Access goes to <strong>{accessDestination(redirectUri)}</strong> and lasts until you disconnect it under Your account.
      </Text>
      {decide.error && <ErrorAlert error={decide.error} title="Couldn't connect the application" />}
      <Group grow>
        <Button variant="default" disabled={isBusy} onClick={() => decideAndReturn(false)}>
          Cancel
        </Button>
        <Button loading={isBusy} onClick={() => decideAndReturn(true)}>
          Connect
        </Button>
      </Group>
    </>
  );
}
