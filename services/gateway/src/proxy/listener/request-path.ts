import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CallContext, contextHeader, contextLifetimeMs, signContext } from '@mp/contracts/context';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import type { Logger } from '@mp/service-kit/logger';
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
import { publicRoute } from '../routes/public-routes.ts';
import { type Exchange, newExchange } from './exchange.ts';
import type { DoorMetrics } from './listener-metrics.ts';
import { answerFailure, type CallerOf, loggedOf } from './respond.ts';

export type RequestPathParts = {
  admit: Admit;
  upstreams: Upstreams;
  bodyMemory: BodyMemory;
  /** Answers `/health/*` in this process: a load balancer hears of the gateway even when every connection is taken. */
  answerHealth: (req: IncomingMessage, res: ServerResponse) => void;
  contextKeys: Keyring;
  logger: Logger;
  addressOf: (req: IncomingMessage) => string;
  now: () => number;
  metrics: DoorMetrics;
  callerOf?: CallerOf;
};

export type RequestPath = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Everything a request meets between the socket and a service, in this order. Never rejects. */
export function createRequestPath(parts: RequestPathParts): RequestPath {
  return async (req, res) => {
    const began = performance.now();
    const exchange = newExchange(req, res, parts.now(), parts.addressOf);
    let ended: Ended | undefined;
    res.once('close', () => {
      exchange.leave?.();
      if (exchange.body) parts.bodyMemory.release(exchange.body);
      parts.metrics.answered(exchange, performance.now() - began, ended);
    });
    try {
      ended = await answer(exchange, parts);
      if (ended === 'broken') parts.logger.warn({ ...loggedOf(exchange), status: res.statusCode }, 'a service broke its answer off');
    } catch (error) {
      // Who left in the middle of it was refused nothing.
      if (!res.destroyed) parts.metrics.refused(error);
      answerFailure(exchange, error, parts.logger, parts.callerOf);
    }
  };
}

/** Admits the request and brings it to its service. Waits for nothing that need not be waited for: each await costs every request. */
async function answer(exchange: Exchange, parts: RequestPathParts): Promise<Ended> {
  const { req, res } = exchange;
  const { credential, route } = isApi(exchange.path) ? await parts.admit(exchange) : admitAnybody(exchange);
  checkTargetSize(exchange);
  checkHeaders(exchange);
  checkBodySize(req, route.body_limit);
  if ('inProcess' in route) return answerHealth(exchange, parts);
  const upstream = parts.upstreams.find(route.service);
  if (!upstream) throw notFound();
  // A client that asked whether it may send its body gets its word here, when everything else has been decided.
  if (expectsContinue(req)) res.writeContinue();
  const { timeouts } = parts.upstreams;
  // Nothing is kept for a client that left while its key was looked up: its end has been heard.
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
    // Signed when there is nothing left to wait for: it is good for a minute, and a body may take as long.
    headers[contextHeader] = signContext(parts.contextKeys, contextOf(exchange, credential), exchange.method, exchange.target);
  }
  return forward(exchange, upstream, {
    headers,
    body,
    headersMs: timeouts.headersMs,
    totalMs: timeouts.totalMs,
    caller,
    bodyMax: route.body_limit,
    idleMs: timeouts.bodyMs,
    inspect: credential && refuseUnauthorized,
  });
}

/** Never through a pool, whose connections others may have taken. */
async function answerHealth({ req, res, headers, requestId }: Exchange, { answerHealth: answerIt }: RequestPathParts): Promise<Ended> {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value);
  // What answers reads the request's id from here, and would make another one.
  req.headers['x-request-id'] = requestId;
  // A body that nobody reads must not keep the connection.
  if (req.headers['content-length'] ?? req.headers['transfer-encoding']) res.setHeader('connection', 'close');
  const { promise, resolve } = Promise.withResolvers<Ended>();
  res.once('finish', () => resolve('relayed'));
  res.once('close', () => resolve('client_left'));
  answerIt(req, res);
  return promise;
}

function admitAnybody(exchange: Exchange) {
  checkTarget(exchange);
  checkTargetSize(exchange);
  checkHeaders(exchange);
  return { credential: undefined, route: publicRoute(exchange) };
}

/** A service that does not know our signature has other secrets than we have: our fault, not the client's. */
function refuseUnauthorized(status: number) {
  if (status === 401) throw new ApiError('UPSTREAM_ERROR', 'A service did not accept this request from the gateway.');
}

function contextOf({ requestId }: Exchange, { kind, account, id, permission, scopes, expiresAt }: Credential): CallContext {
  return {
    account_id: account.id,
    principal_id: id,
    permission,
    scopes: scopes && [...scopes],
    ...(kind === 'token' && expiresAt !== null && { credential_ends_at: expiresAt }),
    request_id: requestId,
    expires_at: Date.now() + contextLifetimeMs,
  };
}

/** Whether anybody could read this path as one of the API. Only the exact spelling is then found in the route table. */
const isApi = (path: string) => /^\/+v2(?:[/%?;\\]|$)/i.test(path);
