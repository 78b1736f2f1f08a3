import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme/tokens.css';
import './theme/theme.css';
import './theme/components.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiContext, createApi } from './api/api.ts';
import { createQueryClient } from './api/query-client.ts';
import { createConnection } from './connection/connection.ts';
import { ConnectionBanner } from './connection/connection-banner.tsx';
import { loadPages, router } from './router.tsx';
import { confirmInSession, currentSession, endSession, followOtherTabs, meQuery, sessionQuery } from './session/session-query.ts';
import { theme } from './theme/theme.ts';

/** Nothing is notified before the first page has loaded. */
const Notifications = lazy(() => import('./page/notifications.tsx'));

const connection = createConnection();
const queries = createQueryClient(connection);
const api = createApi({
  csrfToken: () => currentSession(queries)?.csrfToken,
  onUnauthorized: () => endSession(queries),
  onUnconfirmed: () => confirmInSession(queries),
});
followOtherTabs(queries);

// Starts before the page's own script has loaded.
if (!['/sign-in', '/confirm-email', '/stop-report'].includes(window.location.pathname)) {
  void queries.prefetchQuery(sessionQuery).then(() => {
    const session = currentSession(queries);
    if (session && !session.mustAddSecondFactor) void queries.prefetchQuery(meQuery(api));
  });
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <ApiContext value={api}>
          <Suspense>
            <Notifications position="bottom-right" />
          </Suspense>
          <ConnectionBanner connection={connection} />
          <RouterProvider router={router} />
        </ApiContext>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

// Not before the first page is complete, which is when nothing has been fetched for a second: the other pages would only delay it.
// A page that polls each second is complete after ten.
let complete: ReturnType<typeof setTimeout> | undefined;
let latest: number | undefined;
const stop = queries.getQueryCache().subscribe(() => {
  clearTimeout(complete);
  // The sign-in page needs no other page.
  if (!currentSession(queries)) return;
  latest ??= Date.now() + 10_000;
  complete = setTimeout(
    () => {
      stop();
      void loadPages();
    },
    Math.min(1_000, latest - Date.now()),
  );
});
