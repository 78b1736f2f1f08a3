import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { trafficSearch, visitorSearch } from '../leadpulse/leadpulse-search.ts';
import { reportSearch } from '../leadpulse/report-search.ts';
import { getParentRoute } from './signed-in-route.ts';

const traffic = createRoute({
  getParentRoute,
  path: '/leadpulse',
  validateSearch: trafficSearch,
  component: lazyRouteComponent(() => import('../leadpulse/traffic-page.tsx'), 'TrafficPage'),
});

const visitors = createRoute({
  getParentRoute,
  path: '/leadpulse/visitors',
  validateSearch: visitorSearch,
  component: lazyRouteComponent(() => import('../leadpulse/visitors-page.tsx'), 'VisitorsPage'),
});

const visitor = createRoute({
  getParentRoute,
  path: '/leadpulse/visitors/$id',
  component: lazyRouteComponent(() => import('../leadpulse/visitor-page.tsx'), 'VisitorPage'),
});

const reports = createRoute({
  getParentRoute,
  path: '/leadpulse/reports',
  validateSearch: reportSearch,
  component: lazyRouteComponent(() => import('../leadpulse/reports-page.tsx'), 'ReportsPage'),
});

const live = createRoute({
  getParentRoute,
  path: '/leadpulse/live',
  component: lazyRouteComponent(() => import('../leadpulse/live-page.tsx'), 'LivePage'),
});

const sites = createRoute({
  getParentRoute,
  path: '/leadpulse/websites',
  component: lazyRouteComponent(() => import('../sites/sites-page.tsx'), 'SitesPage'),
});

const site = createRoute({
  getParentRoute,
  path: '/leadpulse/websites/$id',
  component: lazyRouteComponent(() => import('../sites/site-page.tsx'), 'SitePage'),
});

const leadpulseSettings = createRoute({
  getParentRoute,
  path: '/leadpulse/settings',
  component: lazyRouteComponent(() => import('../leadpulse/settings-page.tsx'), 'LeadpulseSettingsPage'),
});

const segmentCalls = createRoute({
  getParentRoute,
  path: '/leadpulse/segment-calls',
  component: lazyRouteComponent(() => import('../leadpulse/segment-calls-page.tsx'), 'SegmentCallsPage'),
});

export const leadpulseRoutes = [traffic, visitors, visitor, reports, live, sites, site, leadpulseSettings, segmentCalls] as const;
