import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CallContext, contextHeader, contextLifetimeMs, signContext } from '@mp/contracts/context';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import { networkOf } from '@mp/service-kit/client-address';
import { inSpan, traceparent } from '@mp/service-kit/traces';
import type { Credential } from '../../credentials/credential.ts';
import { authenticated, type Ended, type Exchange } from '../exchange.ts';
import type { BodyMemory } from '../forwarding/body-memory.ts';
import { forward } from '../forwarding/forward.ts';
import { forwardedHeaders } from '../forwarding/forwarded-headers.ts';
import { checkBodySize, hasBody, noBody, requestBody } from '../forwarding/request-body.ts';
import type { Upstreams } from '../forwarding/upstreams.ts';
import type { EndOnceRevoked } from './end-revoked-streams.ts';
import { expectsContinue } from './expects-continue.ts';

export type ForwardParts = {
  endOnceRevoked: EndOnceRevoked;
  upstreams: Upstreams;
  bodyMemory: BodyMemory;
  /** Handles `/health/*` in this process, so that a load balancer gets a response even when every connection is in use. */
  handleHealth: (req: IncomingMessage, res: ServerResponse) => void;
  contextKeys: Keyring;
};

/** Reads the body, and forwards the request to the service of its route, with a signed context if the route is of the API. */
export async function forwardRequest(exchange: Exchange, parts: ForwardParts) {
  exchange.ended = await forwarded(exchange, parts);
}

/** Awaits only where necessary, because each await costs every request. */
async function forwarded(exchange: Exchange, parts: ForwardParts): Promise<Ended> {
  const { req, res, route } = exchange;
  if (!route) throw new Error('forward runs after find-route');
  checkBodySize(req, route.body_limit);
  if ('inProcess' in route) return handleHealth(exchange, parts.handleHealth);
  const upstream = parts.upstreams.find(route.service);
  if (!upstream) throw notFound();
  const admitted = 'scope' in route ? { credential: authenticated(exchange), route } : undefined;
  // All other checks have passed, so the client may now send its body.
  if (expectsContinue(req)) res.writeContinue();
  const { timeouts } = parts.upstreams;
  const sendsBody = hasBody(req);
  // Node parses a body that has arrived with its headers only after the listener has returned; it is then read without waiting.
  if (sendsBody) await undefined;
  // If the client disconnected during the key lookup, `close` has already fired and nothing below would be cleaned up.
  if (res.closed) return 'client_left';
  const caller = admitted?.credential.account.id ?? networkOf(exchange.address);
  const arriving = sendsBody
    ? requestBody(req, {
        limit: route.body_limit,
        patienceMs: timeouts.bodyMs,
        memory: parts.bodyMemory,
        caller,
        onHeld: (held) => {
          exchange.body = held;
        },
        enterUpload: () => upstream.uploads.enter({ account: caller, address: networkOf(exchange.address) }, res),
      })
    : noBody;
  const body = arriving instanceof Promise ? await arriving : arriving;
  const headers = forwardedHeaders(exchange, 'headers' in route ? route.headers : []);
  if (admitted) {
    exchange.headers['cache-control'] = 'no-store';
    // Signed last, because the signature is valid for a minute and a body may take as long to arrive.
    const context = contextOf(exchange, admitted.credential);
    headers[contextHeader] = signContext(parts.contextKeys, context, exchange.method, exchange.target);
  }
  const request = {
    headers,
    body,
    headersMs: timeouts.headersMs,
    totalMs: timeouts.totalMs,
    caller,
    maxBodyBytes: route.body_limit,
    idleMs: timeouts.bodyMs,
    inspect: admitted && refuseUnauthorized,
    onStream: admitted && ((end: () => void) => parts.endOnceRevoked(exchange, admitted, end)),
  };
  if (exchange.traceparent === undefined) return forward(exchange, upstream, request);
  const { method } = exchange;
  const attributes = { 'http.request.method': method, 'http.route': route.path, 'server.address': upstream.name };
  return inSpan(`${method} ${upstream.name}`, { kind: 'client', attributes }, async (span) => {
    const own = traceparent();
    if (own !== undefined) headers.traceparent = own;
    const ended = await forward(exchange, upstream, request);
    span.setAttribute('http.response.status_code', exchange.res.statusCode);
    return ended;
  });
}

/** Handles a health check without the connection pool, which may be exhausted. */
async function handleHealth({ req, res, headers, requestId }: Exchange, handle: ForwardParts['handleHealth']): Promise<Ended> {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value);
  // The handler reads the request id from this header; otherwise it would create a new one.
  req.headers['x-request-id'] = requestId;
  // The body is never read, so the connection cannot be reused.
  if (req.headers['content-length'] ?? req.headers['transfer-encoding']) res.setHeader('connection', 'close');
  const { promise, resolve } = Promise.withResolvers<Ended>();
  res.once('finish', () => resolve('relayed'));
  res.once('close', () => resolve('client_left'));
  handle(req, res);
  return promise;
}

/** A service that rejects our signature has different keys: our fault, not the client's. */
function refuseUnauthorized(status: number) {
  if (status === 401) throw new ApiError('UPSTREAM_ERROR', 'A service did not accept this request from the gateway.');
}

function contextOf({ requestId }: Exchange, credential: Credential): CallContext {
  const { kind, account, id, created_by, permission, scopes, sendingLimits, expiresAt } = credential;
  return {
    account_id: account.id,
    principal_id: id,
    ...(created_by && { created_by }),
    permission,
    scopes: scopes && [...scopes],
    ...(sendingLimits && { sending_limits: sendingLimits }),
    plan: account.plan,
    ...(kind === 'token' && expiresAt !== null && { credential_ends_at: expiresAt }),
    request_id: requestId,
    expires_at: Date.now() + contextLifetimeMs,
  };
}
