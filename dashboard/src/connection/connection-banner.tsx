import { Loader } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Connection, useIsLost } from './connection.ts';
import classes from './connection-banner.module.css';

const everyMs = 2_000;

/** Shows that the platform cannot be reached, polls until it responds, and then refetches everything on screen. */
export function ConnectionBanner({ connection }: { connection: Connection }) {
  const queries = useQueryClient();
  const lost = useIsLost(connection);

  useEffect(() => {
    if (!lost) return;
    const timer = window.setInterval(() => {
      void isReachable().then((reachable) => {
        if (!reachable) return;
        connection.reached();
        return queries.invalidateQueries();
      });
    }, everyMs);
    return () => window.clearInterval(timer);
  }, [lost, connection, queries]);

  return (
    <div role="status">
      {lost && (
        <div className={classes.banner}>
          <Loader size={14} color="currentColor" aria-hidden />
          Can't reach the platform. Retrying…
        </div>
      )}
    </div>
  );
}

const isReachable = () =>
  fetch('/health/live', { cache: 'no-store' }).then(
    (response) => response.ok,
    () => false,
  );
