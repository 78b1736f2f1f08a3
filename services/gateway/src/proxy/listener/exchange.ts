import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { newId } from '@mp/ids';
import type { HeldBody } from '../forwarding/body-memory.ts';

/** One request and its answer, as every policy sees them. */
export type Exchange = {
  req: IncomingMessage;
  res: ServerResponse;
  /** What the answer's headers will say, whoever answers. Written at once, with the status: Node takes many one by one dearly. */
  headers: OutgoingHttpHeaders;
  method: string;
  /** Path and query exactly as they came, and as they are forwarded and signed. */
  target: string;
  path: string;
  requestId: string;
  /** The instant of the request: the day, the quota and every header come from it. */
  at: number;
  /** What the request is for, as far as it is known: the scope of its route, `none`, `unknown`, or `public`. */
  routeClass: string;
  /** Who connected, or whom a trusted proxy named. */
  address: string;
  /** Called once when the answer is through or broken off: the request no longer counts as one that runs. */
  leave: (() => void) | undefined;
  /** What of its body is in memory, given back when the answer is through. */
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
    address: addressOf(req),
    leave: undefined,
    body: undefined,
  };
}

/** A client may also send the whole URL (RFC 9112 §3.2.2); what it names is the same. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const rest = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1];
  if (rest === undefined) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
