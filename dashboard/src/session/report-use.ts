import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { reportUse } from './session.ts';
import { currentSession } from './session-query.ts';

/** The shortest idle time that an account can set is five minutes. */
const everyMs = 60_000;

/** Tells the server that the user is doing something, so that the session does not end as unused. At most once a minute. */
export function useReportUse() {
  const queries = useQueryClient();
  useEffect(() => {
    let reportedAt = Number.NEGATIVE_INFINITY;
    const report = () => {
      const session = currentSession(queries);
      if (!session || performance.now() < reportedAt + everyMs) return;
      reportedAt = performance.now();
      // If it fails, the next input reports again after a minute; other requests show what is wrong.
      reportUse(session).catch(() => undefined);
    };
    const inputs = ['pointerdown', 'keydown', 'wheel'] as const;
    for (const input of inputs) window.addEventListener(input, report, { passive: true });
    return () => {
      for (const input of inputs) window.removeEventListener(input, report);
    };
  }, [queries]);
}
