import type { IncomingMessage, ServerResponse } from 'node:http';
import { type CallContext, contextHeader, contextLifetimeMs, signContext } from '@mp/contracts/context';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import type { Logger } from '@mp/service-kit/logger';
import type { Credential } from '../credentials/credential.ts';
import { type Ended, forward } from '../forwarding/forward.ts';
import { forwardedHeaders } from '../forwarding/forwarded-headers.ts';
import { checkBodySize, requestBody } from '../forwarding/request-body.ts';
import type { Upstreams } from '../forwarding/upstreams.ts';
import type { Admit } from '../policies/admit.ts';
import { checkHeadersSize, checkTarget, checkTargetSize } from '../policies/check-target.ts';
import { publicRoute } from '../routes/public-routes.ts';
import type { ServiceName } from '../routes/route.ts';
import { answerFailure, type CallerOf, loggedOf } from './answer.ts';
import type { DoorMetrics } from './door-metrics.ts';
import { type Exchange, newExchange } from './exchange.ts';

export type RequestPathParts = {
  admit: Admit;
  upstreams: Upstreams;
  contextKeys: Keyring;
  logger: Logger;
  addressOf: (req: IncomingMessage, logger: Logger) => string;
  now: () => number;
  metrics: DoorMetrics;
  callerOf?: CallerOf;
};

export type RequestPath = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Everything a request meets between the socket and a service, in this order. Never rejects. */
export function createRequestPath(parts: RequestPathParts): RequestPath {
  const addressOf = (req: IncomingMessage) => parts.addressOf(req, parts.logger);
  return async (req, res) => {
    const began = performance.now();
    const exchange = newExchange(req, res, parts.now(), addressOf);
    let ended: Ended | undefined;
    res.once('close', () => {
      exchange.leave?.();
      parts.metrics.answered(exchange, performance.now() - began, ended);
    });
    try {
      ended = await (isApi(exchange.path) ? answerApi(exchange, parts) : answerPublic(exchange, parts));
      if (ended === 'broken') parts.logger.warn({ ...loggedOf(exchange), status: res.statusCode }, 'a service broke its answer off');
    } catch (error) {
      // Who left in the middle of it was refused nothing.
      if (!res.destroyed) parts.metrics.refused(error);
      answerFailure(exchange, error, parts.logger, parts.callerOf);
    }
  };
}

async function answerApi(exchange: Exchange, parts: RequestPathParts) {
  const { credential, route } = await parts.admit(exchange);
  checkTargetSize(exchange);
  checkHeadersSize(exchange);
  checkBodySize(exchange.req, route.body_limit);
  return send(exchange, route.service, route.body_limit, parts, forwardedHeaders(exchange), credential);
}

async function answerPublic(exchange: Exchange, parts: RequestPathParts) {
  checkTarget(exchange);
  checkTargetSize(exchange);
  checkHeadersSize(exchange);
  const route = publicRoute(exchange);
  checkBodySize(exchange.req, route.bodyLimit);
  return send(exchange, route.service, route.bodyLimit, parts, forwardedHeaders(exchange, route.headers));
}

async function send(
  exchange: Exchange,
  service: ServiceName,
  bodyLimit: number,
  { upstreams, contextKeys }: RequestPathParts,
  headers: Record<string, string>,
  credential?: Credential,
) {
  const upstream = upstreams.find(service);
  if (!upstream) throw notFound();
  // A client that asked whether it may send its body gets its word here, when everything else has been decided.
  if (exchange.req.headers.expect !== undefined) exchange.res.writeContinue();
  const body = await requestBody(exchange.req, bodyLimit, upstreams.timeouts);
  if (credential) {
    exchange.headers['cache-control'] = 'no-store';
    // Signed when there is nothing left to wait for: it is good for a minute, and a body may take as long.
    headers[contextHeader] = signContext(contextKeys, contextOf(exchange, credential), exchange.method, exchange.target);
  }
  const { headersMs, bodyMs, totalMs } = upstreams.timeouts;
  return forward(exchange, upstream, {
    headers,
    body,
    headersMs,
    totalMs,
    bodyMax: bodyLimit,
    idleMs: bodyMs,
    ...(credential && { inspect: refuseUnauthorized }),
  });
}

/** A service that does not know our signature has other secrets than we have: our fault, not the client's. */
function refuseUnauthorized(status: number) {
  if (status === 401) throw new ApiError('UPSTREAM_ERROR', 'A service did not accept this request from the gateway.');
}

function contextOf({ requestId }: Exchange, { account, id, permission, scopes }: Credential): CallContext {
  return {
    account_id: account.id,
    principal_id: id,
    permission,
    scopes: scopes && [...scopes],
    request_id: requestId,
    expires_at: Date.now() + contextLifetimeMs,
  };
}

/** Whether anybody could read this path as one of the API. Only the exact spelling is then found in the route table. */
const isApi = (path: string) => /^\/+v2(?:[/%?;\\]|$)/i.test(path);
