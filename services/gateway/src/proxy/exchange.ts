import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ErrorCode } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import { traceparent } from '@mp/service-kit/traces';
import type { Credential } from '../credentials/credential.ts';
import type { HeldBody } from './forwarding/body-memory.ts';
import type { Site } from './listener/site.ts';
import { type PathGroup, pathGroupOf } from './routes/path-groups.ts';
import type { PublicRoute, Route } from './routes/route.ts';

/** How a response ended. `client_left` (or did not read) says nothing about the service; `broken`: the service aborted it. */
export type Ended = 'relayed' | 'client_left' | 'broken';

/** One request and its response, as every policy sees them. */
export type Exchange = {
  req: IncomingMessage;
  res: ServerResponse;
  site: Site;
  /** The response headers. Written together with the status, because setting them one by one is slow in Node. */
  headers: OutgoingHttpHeaders;
  method: string;
  /** Path and query exactly as received; forwarded and signed in this form. */
  target: string;
  path: string;
  pathGroup: PathGroup;
  requestId: string;
  /** When the request arrived, in epoch ms. The quota day and all limit headers derive from it. */
  at: number;
  /** The route class: the scope of the route, `none`, `unknown` (not determined yet), or `public`. */
  routeClass: string;
  /** Once `find-route` has found it. */
  route: Route | PublicRoute | undefined;
  /** Once `authenticate` has accepted it. */
  credential: Credential | undefined;
  /** What `burst-limit` has left of this second. */
  remaining: number | undefined;
  /** The credential that was presented, for logs: it may have expired or lack permission. */
  caller: Credential | undefined;
  /** The code of the error that the gateway itself responded with. */
  errorCode: ErrorCode | undefined;
  /** The gateway's own span; undefined if tracing is off. */
  traceparent: string | undefined;
  /** The client's IP address: of the peer, or as reported by a trusted proxy. */
  address: string;
  /** Called once when the response is complete or aborted, so that the request no longer counts as running. */
  leave: (() => void) | undefined;
  /** The part of the request body held in memory; released when the response ends. */
  body: HeldBody | undefined;
  /** How the response ended, once `forward` has ended it. */
  ended: Ended | undefined;
};

/** The credential. Throws if `authenticate` has not run: no fault here may admit a request. */
export function authenticated({ credential }: Exchange): Credential {
  if (!credential) throw new Error('authenticate has not run');
  return credential;
}

/** The route of a request to the API. Throws if `find-route` has not run. */
export function routed({ route }: Exchange): Route {
  if (!route || !('scope' in route)) throw new Error('find-route has not run');
  return route;
}

const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/;

type Setting = { at: number; addressOf: (req: IncomingMessage) => string; site: Site };

export function newExchange(req: IncomingMessage, res: ServerResponse, { at, addressOf, site }: Setting): Exchange {
  const given = req.headers['x-request-id'];
  const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : newId('request');
  const target = originForm(req.url ?? '/');
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  const pathGroup = pathGroupOf(path);
  return {
    req,
    res,
    site,
    headers: { 'x-request-id': requestId, 'x-content-type-options': 'nosniff', ...site.headers },
    method: req.method ?? 'GET',
    target,
    path,
    pathGroup,
    requestId,
    at,
    routeClass: pathGroup === 'api' ? 'unknown' : 'public',
    route: undefined,
    credential: undefined,
    remaining: undefined,
    caller: undefined,
    errorCode: undefined,
    traceparent: traceparent(),
    address: addressOf(req),
    leave: undefined,
    body: undefined,
    ended: undefined,
  };
}

/** The path and query of a target, which may also be an absolute URL (RFC 9112 §3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1];
  if (rest === undefined) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
