import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { segmentSearch } from '../segments/segment-search.ts';
import { getParentRoute } from './signed-in-route.ts';

const segments = createRoute({
  getParentRoute,
  path: '/segments',
  validateSearch: segmentSearch,
  component: lazyRouteComponent(() => import('../segments/segments-page.tsx'), 'SegmentsPage'),
});

const newSegment = createRoute({
  getParentRoute,
  path: '/segments/new',
  component: lazyRouteComponent(() => import('../segments/new-segment-page.tsx'), 'NewSegmentPage'),
});

const segment = createRoute({
  getParentRoute,
  path: '/segments/$id',
  component: lazyRouteComponent(() => import('../segments/segment-page.tsx'), 'SegmentPage'),
});

const editSegment = createRoute({
  getParentRoute,
  path: '/segments/$id/edit',
  component: lazyRouteComponent(() => import('../segments/edit-segment-page.tsx'), 'EditSegmentPage'),
});

const membership = createRoute({
  getParentRoute,
  path: '/segments/$id/contacts/$contactId',
  component: lazyRouteComponent(() => import('../segments/membership-page.tsx'), 'MembershipPage'),
});

export const segmentRoutes = [segments, newSegment, segment, editSegment, membership] as const;
