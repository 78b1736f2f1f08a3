import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CallContext, contextHeader, contextLifetimeMs, signContext } from '@mp/contracts/context';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import type { Logger } from '@mp/service-kit/logger';
import { activeSpan, describeRequest, inSpan, traceparent } from '@mp/service-kit/traces';
import type { Credential } from '../../credentials/credential.ts';
import { networkOf } from '../../credentials/failed-auth-limiter.ts';
import type { BodyMemory } from '../forwarding/body-memory.ts';
import { type Ended, forward } from '../forwarding/forward.ts';
import { forwardedHeaders } from '../forwarding/forwarded-headers.ts';
import { checkBodySize, hasBody, noBody, requestBody } from '../forwarding/request-body.ts';
import type { Upstreams } from '../forwarding/upstreams.ts';
import type { Admit } from '../policies/admit.ts';
import { checkHeaders, checkTarget, checkTargetSize } from '../policies/check-target.ts';
import { expectsContinue } from '../policies/expectation.ts';
import type { WhileAdmitted } from '../policies/while-admitted.ts';
import { publicRoute } from '../routes/public-routes.ts';
import type { RouteTable } from '../routes/route-table.ts';
import type { AccessLog } from './access-log.ts';
import { type Exchange, newExchange } from './exchange.ts';
import type { ListenerMetrics } from './listener-metrics.ts';
import { loggedOf, sendFailure } from './respond.ts';

export type RequestPathParts = {
  admit: Admit;
  routes: Pick<RouteTable, 'nearest'>;
  whileAdmitted: WhileAdmitted;
  upstreams: Upstreams;
  bodyMemory: BodyMemory;
  /** Handles `/health/*` in this process, so that a load balancer gets a response even when every connection is in use. */
  handleHealth: (req: IncomingMessage, res: ServerResponse) => void;
  contextKeys: Keyring;
  logger: Logger;
  addressOf: (req: IncomingMessage) => string;
  now: () => number;
  metrics: ListenerMetrics;
  accessLog?: AccessLog | undefined;
};

export type RequestPath = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** The path of a request from the socket to a service. Never rejects. */
export function createRequestPath(parts: RequestPathParts): RequestPath {
  return async (req, res) => {
    const began = performance.now();
    const exchange = newExchange(req, res, parts.now(), parts.addressOf);
    let ended: Ended | undefined;
    res.once('close', () => {
      exchange.leave?.();
      if (exchange.body) parts.bodyMemory.release(exchange.body);
      const ms = performance.now() - began;
      parts.metrics.answered(exchange, ms, ended);
      parts.accessLog?.(exchange, ms, ended);
    });
    try {
      ended = await answer(exchange, parts);
      if (ended === 'broken') parts.logger.warn({ ...loggedOf(exchange), status: res.statusCode }, 'a service aborted its response');
    } catch (error) {
      // A client that has left is not counted as rejected.
      if (!res.destroyed) parts.metrics.refused(error);
      sendFailure(exchange, error, parts.logger);
    }
    const { method, route } = exchange;
    const span = exchange.traceparent === undefined ? undefined : activeSpan();
    if (span) describeRequest(span, { method, route, status: res.statusCode });
  };
}

/** Admits the request and forwards it to its service. Awaits only where necessary, because each await costs every request. */
async function answer(exchange: Exchange, parts: RequestPathParts): Promise<Ended> {
  const { req, res } = exchange;
  const admitted = isApi(exchange.path) ? await parts.admit(exchange) : admitAnybody(exchange, parts.routes);
  const { credential, route } = admitted;
  checkTargetSize(exchange);
  checkHeaders(exchange);
  checkBodySize(req, route.body_limit);
  if ('inProcess' in route) return handleHealth(exchange, parts);
  const upstream = parts.upstreams.find(route.service);
  if (!upstream) throw notFound();
  // All other checks have passed, so the client may now send its body.
  if (expectsContinue(req)) res.writeContinue();
  const { timeouts } = parts.upstreams;
  // If the client disconnected during the key lookup, `close` has already fired and nothing below would be cleaned up.
  if (res.closed) return 'client_left';
  const caller = credential?.account.id ?? networkOf(exchange.address);
  const arriving = hasBody(req)
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
  if (credential) {
    exchange.headers['cache-control'] = 'no-store';
    // Signed last, because the signature is valid for a minute and a body may take as long to arrive.
    headers[contextHeader] = signContext(parts.contextKeys, contextOf(exchange, credential), exchange.method, exchange.target);
  }
  const forwarded = {
    headers,
    body,
    headersMs: timeouts.headersMs,
    totalMs: timeouts.totalMs,
    caller,
    maxBodyBytes: route.body_limit,
    idleMs: timeouts.bodyMs,
    inspect: credential && refuseUnauthorized,
    onStream: admitted.credential && ((end: () => void) => parts.whileAdmitted(exchange, admitted, end)),
  };
  if (exchange.traceparent === undefined) return forward(exchange, upstream, forwarded);
  const { method } = exchange;
  const attributes = { 'http.request.method': method, 'http.route': route.path, 'server.address': upstream.name };
  return inSpan(`${method} ${upstream.name}`, { kind: 'client', attributes }, async (span) => {
    const own = traceparent();
    if (own !== undefined) headers.traceparent = own;
    const ended = await forward(exchange, upstream, forwarded);
    span.setAttribute('http.response.status_code', exchange.res.statusCode);
    return ended;
  });
}

/** Handles a health check without the connection pool, which may be exhausted. */
async function handleHealth({ req, res, headers, requestId }: Exchange, { handleHealth: answerIt }: RequestPathParts): Promise<Ended> {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value);
  // The handler reads the request id from this header; otherwise it would create a new one.
  req.headers['x-request-id'] = requestId;
  // The body is never read, so the connection cannot be reused.
  if (req.headers['content-length'] ?? req.headers['transfer-encoding']) res.setHeader('connection', 'close');
  const { promise, resolve } = Promise.withResolvers<Ended>();
  res.once('finish', () => resolve('relayed'));
  res.once('close', () => resolve('client_left'));
  answerIt(req, res);
  return promise;
}

function admitAnybody(exchange: Exchange, routes: RequestPathParts['routes']) {
  checkTarget(exchange);
  checkTargetSize(exchange);
  checkHeaders(exchange);
  const route = publicRoute(exchange, routes);
  exchange.route = route.path;
  return { credential: undefined, route };
}

/** A service that rejects our signature has different keys: our fault, not the client's. */
function refuseUnauthorized(status: number) {
  if (status === 401) throw new ApiError('UPSTREAM_ERROR', 'A service did not accept this request from the gateway.');
}

function contextOf({ requestId }: Exchange, { kind, account, id, permission, scopes, expiresAt }: Credential): CallContext {
  return {
    account_id: account.id,
    principal_id: id,
    permission,
    scopes: scopes && [...scopes],
    plan: account.plan,
    ...(kind === 'token' && expiresAt !== null && { credential_ends_at: expiresAt }),
    request_id: requestId,
    expires_at: Date.now() + contextLifetimeMs,
  };
}

/** Whether any parser could read this path as part of the API. The route table then matches only the exact spelling. */
const isApi = (path: string) => /^\/+v2(?:[/%?;\\]|$)/i.test(path);
