import { Center, Container, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useRef } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Shell } from '../shell/shell.tsx';
import classes from './session-gate.module.css';
import { sessionQuery, useMe } from './session-query.ts';
import { signInSearch } from './sign-in-search.ts';

/** Shows the pages inside it to signed-in users and redirects everyone else to the sign-in page, which leads back. */
export function SessionGate() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const wasSignedIn = useRef(false);
  const to = useRouterState({ select: ({ location }) => location.href });
  if (session) wasSignedIn.current = true;

  if (session === null)
    return <Navigate to="/sign-in" search={signInSearch({ ended: wasSignedIn.current, to: to === '/' ? undefined : to })} replace />;
  if (session) {
    return (
      <Shell>
        <InAccountZone>
          <Outlet />
        </InAccountZone>
      </Shell>
    );
  }
  if (error) {
    return (
      <Container size="xs" py={120}>
        <ErrorAlert error={error} title="Couldn't start the dashboard" onRetry={() => void refetch()} />
      </Container>
    );
  }
  return (
    <Center mih="100dvh" className={classes.late}>
      <Loader size="sm" role="img" aria-label="Loading" />
    </Center>
  );
}

/** Pages show times, so they wait until the zone of the account is known. */
const InAccountZone = ({ children }: { children: ReactNode }) => (useMe().isPending ? null : children);
