import { ApiError, notFound } from '@mp/contracts/errors';
import { tags } from '../../documentation/tags.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { ServiceName } from './route.ts';

/** What is answered without a credential: a closed list. */
export type PublicRoute = {
  /** The path itself, with `{}` for a segment of any kind; or, ending in `/*`, everything below it. */
  path: string;
  service: ServiceName;
  methods: readonly string[];
  /** Headers that pass beside the usual ones. */
  headers: readonly string[];
  body_limit: number;
  /** Answered in this process, without a connection from a pool. */
  inProcess?: true;
};

const read = ['GET', 'HEAD'];
const own = { service: 'gateway', methods: read, headers: [], body_limit: 65_536 } as const;

const health = { ...own, inProcess: true } as const;
const oauth = { ...own, methods: ['POST'], headers: ['authorization'] } as const;
const page = { ...own, headers: ['cookie'] } as const;
const form = { ...own, methods: ['POST'], headers: ['cookie', 'host', 'origin', 'sec-fetch-site', 'x-csrf-token'] } as const;
const links = { ...own, service: 'campaigns', methods: [...read, 'POST'] } as const;

export const publicRoutes: readonly PublicRoute[] = [
  { ...health, path: '/health/live' },
  { ...health, path: '/health/ready' },
  { ...health, path: '/health/dependencies' },
  { ...oauth, path: '/oauth/token' },
  { ...oauth, path: '/oauth/revoke' },
  { ...own, path: '/.well-known/oauth-authorization-server' },
  { ...own, path: '/openapi.json' },
  { ...own, path: '/llms.txt' },
  { ...own, path: '/reference' },
  ...Object.keys(tags).map((name) => ({ ...own, path: `/reference/${name}.md`, headers: ['accept-encoding'] })),
  { ...own, path: '/reference/*', headers: ['accept-encoding'] },
  { ...page, path: '/auth/session' },
  { ...page, path: '/auth/sessions' },
  { ...form, path: '/auth/sessions/revoke' },
  { ...form, path: '/auth/sign-in' },
  { ...form, path: '/auth/sign-out' },
  { ...form, path: '/auth/password' },
  { ...form, path: '/auth/forgotten-password' },
  { ...links, path: '/t/{}' },
  { ...links, path: '/t/*' },
  // The dashboard: its files, and its pages for people who open one of their addresses.
  { ...own, path: '/*', headers: ['accept-encoding', 'if-modified-since', 'range'] },
];

/** Where this public request goes; 404 or 405 when nowhere. */
export function publicRoute({ method, path, headers }: Exchange): PublicRoute {
  if (!isCanonical(path)) throw notFound();
  const route = publicRoutes.find((candidate) => covers(candidate.path, path));
  // Nobody here knows what there is below a `/*`: `Allow` would name methods of nothing.
  if (!route || (route.path.endsWith('/*') && !route.methods.includes(method))) throw notFound();
  if (!route.methods.includes(method)) {
    headers.allow = route.methods.join(', ');
    throw new ApiError('METHOD_NOT_ALLOWED', `This path takes ${route.methods.join(', ')}.`);
  }
  return route;
}

function covers(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1));
  if (!pattern.endsWith('/{}')) return path === pattern;
  const parent = pattern.slice(0, -2);
  return path.startsWith(parent) && path.length > parent.length && !path.includes('/', parent.length);
}

/** Spelled the one way that everybody reads alike: no doubled slash, no dot segment, no encoded slash. */
const isCanonical = (path: string) => path.startsWith('/') && !/\/\/|\\|%2f|%5c|%00|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
