import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { SessionGate } from './session/session-gate.tsx';
import { SignInPage } from './session/sign-in-page.tsx';
import { PageFault } from './shell/page-fault.tsx';
import { PageNotFound } from './shell/page-not-found.tsx';

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: SignInPage,
  validateSearch: ({ ended }: Record<string, unknown>): { ended?: true } => (ended ? { ended: true } : {}),
});

const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SessionGate });

const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/api-keys', replace: true });
  },
});

const apiKeys = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/api-keys',
  component: lazyRouteComponent(() => import('./api-keys/api-keys-page.tsx'), 'ApiKeysPage'),
});

const usage = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings/usage',
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'UsagePage'),
});

const elsewhere = createRoute({ getParentRoute: () => signedIn, path: '$', component: PageNotFound });

/** Every page of the dashboard. */
export const router = createRouter({
  routeTree: root.addChildren([signIn, signedIn.addChildren([start, apiKeys, usage, elsewhere])]),
  defaultPreload: 'intent',
  defaultErrorComponent: PageFault,
  scrollRestoration: true,
});

/**
 * Loads every page's script as soon as there is nothing better to do, so that none is missing when the connection is lost
 * or a newer release has replaced the files.
 */
export function loadPages() {
  const load = () => void Promise.allSettled([apiKeys, usage].map((page) => router.loadRouteChunk(page)));
  // Safari does not know it yet.
  if ('requestIdleCallback' in window) window.requestIdleCallback(load);
  else setTimeout(load, 1_000);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
