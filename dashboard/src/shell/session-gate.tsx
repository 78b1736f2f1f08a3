import { Center, Container, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, Outlet, useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useRef, useState, useSyncExternalStore } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { useReportUse } from '../session/report-use.ts';
import type { Session } from '../session/session.ts';
import { sessionQuery, useMe } from '../session/session-query.ts';
import { signInSearch } from '../session/sign-in-search.ts';
import { stepUp } from '../session/step-up.ts';
import classes from './session-gate.module.css';
import { Shell } from './shell.tsx';
import { loadStepUp } from './shell-parts.ts';

const AddSecondFactorPage = lazy(async () => ({ default: (await import('../account/add-second-factor-page.tsx')).AddSecondFactorPage }));

const StepUpDialog = lazy(loadStepUp);

/**
 * Shows the pages inside it to signed-in users and redirects everyone else to the sign-in page, which leads back. `alone`: without the
 * navigation around the page.
 */
export function SessionGate({ alone = false }: { alone?: boolean }) {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  useReportUse();
  const wasSignedIn = useRef(false);
  if (session) wasSignedIn.current = true;
  // Until the recovery codes are stored, not only until the factor is added.
  const [isEnrolling, setEnrolling] = useState(false);
  if (session?.mustAddSecondFactor && !isEnrolling) setEnrolling(true);

  if (session === null) return <ToSignIn ended={wasSignedIn.current} />;
  if (session) {
    return (
      <>
        {isEnrolling ? (
          <Suspense fallback={null}>
            <AddSecondFactorPage onAdded={() => setEnrolling(false)} />
          </Suspense>
        ) : alone ? (
          <Outlet />
        ) : (
          <Shell>
            <InAccountZone>
              <Outlet />
            </InAccountZone>
          </Shell>
        )}
        <Suspense fallback={null}>
          <StepUp session={session} />
        </Suspense>
      </>
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

/** Loaded when a confirmation is asked for, and then kept, so that it can close itself. */
function StepUp({ session }: { session: Session }) {
  const isRequested = useSyncExternalStore(stepUp.subscribe, stepUp.isRequested);
  const [wasRequested, setWasRequested] = useState(false);
  if (isRequested && !wasRequested) setWasRequested(true);
  return wasRequested && <StepUpDialog session={session} />;
}

/** Remembers the page that was asked for: while the sign-in page opens, the location already is its own. */
function ToSignIn({ ended }: { ended: boolean }) {
  const router = useRouter();
  const [search] = useState(() => {
    const { href } = router.state.location;
    return signInSearch({ ended, to: href === '/' ? undefined : href });
  });
  return <Navigate to="/sign-in" search={search} replace />;
}

/** Pages show times, so they wait until the zone of the account is known. */
const InAccountZone = ({ children }: { children: ReactNode }) => (useMe().isPending ? null : children);
