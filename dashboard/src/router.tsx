import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { loadChart } from './charts/load-chart.ts';
import { overviewSearch } from './overview/period.ts';
import { PageError } from './page/page-error.tsx';
import { PageNotFound } from './page/page-not-found.tsx';
import { campaignRoutes } from './routes/campaign-routes.ts';
import { contactRoutes } from './routes/contact-routes.ts';
import { leadpulseRoutes } from './routes/leadpulse-routes.ts';
import { segmentRoutes } from './routes/segment-routes.ts';
import { settingsRoutes } from './routes/settings-routes.ts';
import { alone, getParentRoute, root, signedIn } from './routes/signed-in-route.ts';
import { workflowRoutes } from './routes/workflow-routes.ts';
import { signInSearch } from './session/sign-in-search.ts';
import { shellParts } from './shell/shell-parts.ts';

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./session/sign-in-page.tsx'), 'SignInPage'),
  validateSearch: signInSearch,
});

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email',
  component: lazyRouteComponent(() => import('./session/confirm-email-page.tsx'), 'ConfirmEmailPage'),
});

const stopReport = createRoute({
  getParentRoute: () => root,
  path: '/stop-report',
  component: lazyRouteComponent(() => import('./session/stop-report-page.tsx'), 'StopReportPage'),
});

const overview = createRoute({
  getParentRoute,
  path: '/',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
});

const authorize = createRoute({
  getParentRoute: () => alone,
  path: '/authorize',
  component: lazyRouteComponent(() => import('./authorize/authorize-page.tsx'), 'AuthorizePage'),
});

const elsewhere = createRoute({ getParentRoute, path: '$', component: PageNotFound });

const pages = [
  overview,
  ...contactRoutes,
  ...segmentRoutes,
  ...campaignRoutes,
  ...leadpulseRoutes,
  ...workflowRoutes,
  ...settingsRoutes,
] as const;

/** Every page of the dashboard. */
export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    confirmEmail,
    stopReport,
    alone.addChildren([authorize]),
    signedIn.addChildren([...pages, elsewhere]),
  ]),
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  scrollRestoration: true,
});

/**
 * Loads the scripts of all pages one after another, so that pages still open after the connection is lost or a newer release has
 * replaced the files.
 */
export async function loadPages() {
  for (const load of [...[signIn, ...pages].map((page) => () => router.loadRouteChunk(page)), ...shellParts, loadChart]) {
    // A page that cannot be loaded now is loaded when it is opened.
    await load()?.catch(() => undefined);
  }
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
