import { ApiError, unknownPath } from '@mp/contracts/errors';
import { pageOf, tags } from '../../documentation/tags.ts';
import type { Exchange } from '../exchange.ts';
import { segmentCalls } from './path-groups.ts';
import type { PublicRoute } from './route.ts';
import type { RouteTable } from './route-table.ts';

const read = ['GET', 'HEAD'];
const own = { service: 'gateway', methods: read, headers: [], body_limit: 65_536 } as const;

const health = { ...own, inProcess: true } as const;
const oauth = { ...own, methods: ['POST'], headers: ['authorization'] } as const;
const page = { ...own, headers: ['cookie'] } as const;
const form = { ...own, methods: ['POST'], headers: ['cookie', 'host', 'origin', 'sec-fetch-site', 'x-csrf-token'] } as const;
const ingest = { service: 'leadpulse', methods: read, headers: ['origin'], body_limit: 262_144 } as const;
/** Larger bodies than Segment takes, so that the service can answer them as Segment does. */
const segment = { ...ingest, methods: ['POST', 'OPTIONS'], headers: ['origin', 'authorization'], body_limit: 1_048_576 } as const;
const links = { ...own, service: 'campaigns', methods: [...read, 'POST'] } as const;

const hosted = {
  service: 'contacts',
  methods: [...read, 'POST', 'OPTIONS'],
  headers: ['host', 'origin', 'sec-fetch-site', 'referer', 'accept-encoding'],
  body_limit: 65_536,
} as const;

/** The headers by which email providers sign their webhooks. */
const signatures = ['x-twilio-email-event-webhook-signature', 'x-twilio-email-event-webhook-timestamp'];

const formPaths = '/f/*';
/** Where forms have a host of their own, other hosts only redirect to it. */
const formsElsewhere: PublicRoute = { ...own, path: formPaths };

/** Whether the request is to the host that serves forms and nothing else. */
export const isOfForms = ({ req, site: { formsHost } }: Pick<Exchange, 'req' | 'site'>) =>
  formsHost !== undefined && req.headers.host?.toLowerCase() === formsHost;

export const publicRoutes: readonly PublicRoute[] = [
  { ...health, path: '/health/live' },
  { ...health, path: '/health/ready' },
  { ...health, path: '/health/dependencies' },
  { ...own, path: '/oauth/authorize' },
  { ...oauth, path: '/oauth/token' },
  { ...oauth, path: '/oauth/revoke' },
  { ...own, path: '/.well-known/oauth-authorization-server' },
  { ...own, path: '/openapi.json' },
  { ...own, path: '/openapi.yaml', headers: ['accept-encoding'] },
  { ...own, path: '/postman-collection.json', headers: ['accept-encoding'] },
  { ...own, path: '/llms.txt' },
  { ...own, path: '/llms-full.txt', headers: ['accept-encoding'] },
  { ...own, path: '/reference' },
  ...Object.keys(tags).map((name) => ({ ...own, path: pageOf(name), headers: ['accept-encoding'] })),
  { ...own, path: '/reference/*', headers: ['accept-encoding'] },
  // The documentation site.
  { ...own, path: '/docs' },
  { ...own, path: '/docs/*', headers: ['accept-encoding', 'if-modified-since', 'range'] },
  { ...form, methods: [...read, 'POST'], path: '/auth/session' },
  { ...form, path: '/auth/email' },
  { ...form, path: '/auth/report-emails/stop' },
  { ...page, path: '/auth/sessions' },
  { ...form, path: '/auth/sessions/revoke' },
  { ...form, path: '/auth/sign-in' },
  { ...form, path: '/auth/passkey' },
  { ...form, path: '/auth/passkey/options' },
  { ...form, methods: [...read, 'POST'], path: '/auth/account-choice' },
  { ...form, methods: [...read, 'POST'], path: '/auth/second-factor' },
  { ...form, path: '/auth/second-factor/options' },
  { ...form, path: '/auth/step-up' },
  { ...form, path: '/auth/step-up/options' },
  { ...page, path: '/auth/second-factors' },
  { ...form, path: '/auth/second-factors/totp' },
  { ...form, path: '/auth/second-factors/totp/confirm' },
  { ...form, path: '/auth/second-factors/passkeys' },
  { ...form, path: '/auth/second-factors/passkeys/options' },
  { ...form, path: '/auth/second-factors/rename' },
  { ...form, path: '/auth/second-factors/remove' },
  { ...form, path: '/auth/second-factors/recovery-codes' },
  { ...form, methods: [...read, 'POST'], path: '/auth/authorization' },
  { ...page, path: '/auth/grants' },
  { ...form, path: '/auth/grants/revoke' },
  { ...form, path: '/auth/sign-out' },
  { ...form, path: '/auth/password' },
  { ...form, path: '/auth/forgotten-password' },
  { ...form, methods: [...read, 'POST'], path: '/auth/single-sign-on' },
  { ...page, path: '/auth/single-sign-on/*' },
  { ...links, methods: ['POST'], path: '/t/feedback/{}', headers: ['authorization', ...signatures], body_limit: 1_048_576 },
  { ...links, service: 'workflows', methods: ['POST'], path: '/t/hooks/{}', headers: ['webhook-id', 'idempotency-key'] },
  { ...links, path: '/t/{}' },
  { ...links, path: '/t/*' },
  // Hosted forms: their pages, the submissions of embedded ones, and the links of confirmation emails.
  { ...hosted, path: formPaths },
  // The browser snippet. The service checks the publishable key; no other credential is read or forwarded.
  { ...ingest, path: '/ingest/v1/events', methods: ['POST', 'OPTIONS'] },
  { ...ingest, path: '/ingest/v1/{}', headers: ['accept-encoding'] },
  // What Segment libraries call. The service checks their keys, because some send them in the body.
  ...segmentCalls.map((name) => ({ ...segment, path: `/v1/${name}` })),
  { ...segment, methods: [...read, 'OPTIONS'], path: '/v1/projects/{}/settings' },
  // The dashboard: its files and its page.
  { ...own, path: '/*', headers: ['accept-encoding', 'if-modified-since', 'range'] },
];

/** The route of a public request. Throws NOT_FOUND or METHOD_NOT_ALLOWED if there is none. */
export function publicRoute(exchange: Exchange, routes: Pick<RouteTable, 'nearest'>): PublicRoute {
  const { method, path, headers } = exchange;
  if (!isCanonical(path)) throw unknownPath(path, routes.nearest(path));
  const found = publicRoutes.find((candidate) => covers(candidate.path, path));
  const isElsewhere = found?.path === formPaths && exchange.site.formsHost !== undefined && !isOfForms(exchange);
  const route = isElsewhere ? formsElsewhere : found;
  // What exists below a `/*` is not known here, so `Allow` might list methods of a path that does not exist.
  if (!route || (route.path.endsWith('/*') && !route.methods.includes(method))) throw unknownPath(path, routes.nearest(path));
  if (!route.methods.includes(method)) {
    headers.allow = route.methods.join(', ');
    throw new ApiError('METHOD_NOT_ALLOWED', `This path supports ${route.methods.join(', ')}.`);
  }
  return route;
}

function covers(pattern: string, path: string): boolean {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1));
  if (!pattern.includes('{}')) return path === pattern;
  const [segments, wanted] = [path.split('/'), pattern.split('/')];
  return (
    segments.length === wanted.length && wanted.every((name, index) => (name === '{}' ? segments[index] !== '' : segments[index] === name))
  );
}

/** Whether every parser reads the path the same way: no doubled slash, no dot segment, no encoded slash. */
const isCanonical = (path: string) => path.startsWith('/') && !/\/\/|\\|%2f|%5c|%00|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
