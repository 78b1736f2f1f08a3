import { ApiError, notFound } from '@mp/contracts/errors';
import type { Exchange } from '../door/exchange.ts';
import type { ServiceName } from './route.ts';

/** What is answered without a credential: a closed list. */
export type PublicRoute = {
  /** The path itself, or with `/*` everything below it. */
  path: string;
  service: ServiceName;
  methods: readonly string[];
  /** Headers that pass beside the usual ones. */
  headers: readonly string[];
  body_limit: number;
};

const read = ['GET', 'HEAD'];
const own = { service: 'gateway', methods: read, headers: [], body_limit: 65_536 } as const;

export const publicRoutes: readonly PublicRoute[] = [
  { ...own, path: '/health/*' },
  { ...own, path: '/oauth/token', methods: ['POST'], headers: ['authorization'] },
  { ...own, path: '/oauth/revoke', methods: ['POST'], headers: ['authorization'] },
  { ...own, path: '/.well-known/*' },
  { ...own, path: '/openapi.json' },
  { ...own, path: '/llms.txt' },
  { ...own, path: '/reference' },
  { ...own, path: '/reference/*', headers: ['accept-encoding'] },
  { ...own, path: '/auth/*', methods: [...read, 'POST'], headers: ['cookie', 'sec-fetch-site', 'x-csrf-token'] },
  { ...own, path: '/t/*', service: 'campaigns', methods: [...read, 'POST'] },
  // The dashboard: its files, and its pages for people who open one of their addresses.
  { ...own, path: '/*', headers: ['accept-encoding', 'if-modified-since', 'range'] },
];

/** Where this public request goes; 404 or 405 when nowhere. */
export function publicRoute({ method, path, headers }: Exchange): PublicRoute {
  if (!isCanonical(path)) throw notFound();
  const route = publicRoutes.find((candidate) => covers(candidate.path, path));
  // What the dashboard does not have is not there, whatever the method.
  if (!route || (route.path === '/*' && !route.methods.includes(method))) throw notFound();
  if (!route.methods.includes(method)) {
    headers.allow = route.methods.join(', ');
    throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${route.methods.join(', ')}.`);
  }
  return route;
}

const covers = (pattern: string, path: string) => (pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern);

/** Spelled the one way that everybody reads alike: no doubled slash, no dot segment, no encoded slash. */
const isCanonical = (path: string) => path.startsWith('/') && !/\/\/|\\|%2f|%5c|%00|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
