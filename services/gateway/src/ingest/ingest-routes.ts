import type { PublicRoute } from '../proxy/routes/public-routes.ts';

const leadpulse = { service: 'leadpulse', headers: ['origin'], body_limit: 262_144 } as const;

/** The routes of the browser snippet. The service checks the publishable key; no other credential is read or forwarded. */
export const ingestRoutes: readonly PublicRoute[] = [
  { ...leadpulse, path: '/ingest/v1/events', methods: ['POST', 'OPTIONS'] },
  { ...leadpulse, path: '/ingest/v1/{}', methods: ['GET', 'HEAD'], headers: ['accept-encoding'] },
];
