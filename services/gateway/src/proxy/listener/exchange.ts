import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ErrorCode } from '@mp/contracts/errors';
import { newId } from '@mp/ids';
import { traceparent } from '@mp/service-kit/traces';
import type { Credential } from '../../credentials/credential.ts';
import type { HeldBody } from '../forwarding/body-memory.ts';

/** One request and its response, as every policy sees them. */
export type Exchange = {
  req: IncomingMessage;
  res: ServerResponse;
  /** The response headers. Written together with the status, because setting them one by one is slow in Node. */
  headers: OutgoingHttpHeaders;
  method: string;
  /** Path and query exactly as received; forwarded and signed in this form. */
  target: string;
  path: string;
  requestId: string;
  /** When the request arrived, in epoch ms. The quota day and all limit headers derive from it. */
  at: number;
  /** The route class: the scope of the route, `none`, `unknown` (not determined yet), or `public`. */
  routeClass: string;
  /** The path of the route, with its parameters in braces, once it is known. */
  route: string | undefined;
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
};

const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/;

export function newExchange(req: IncomingMessage, res: ServerResponse, at: number, addressOf: (req: IncomingMessage) => string): Exchange {
  const given = req.headers['x-request-id'];
  const requestId = typeof given === 'string' && requestIdPattern.test(given) ? given : newId('request');
  const target = originForm(req.url ?? '/');
  const query = target.indexOf('?');
  return {
    req,
    res,
    headers: { 'x-request-id': requestId, 'x-content-type-options': 'nosniff' },
    method: req.method ?? 'GET',
    target,
    path: query === -1 ? target : target.slice(0, query),
    requestId,
    at,
    routeClass: 'public',
    route: undefined,
    caller: undefined,
    errorCode: undefined,
    traceparent: traceparent(),
    address: addressOf(req),
    leave: undefined,
    body: undefined,
  };
}

/** The path and query of a target, which may also be an absolute URL (RFC 9112 §3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1];
  if (rest === undefined) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
