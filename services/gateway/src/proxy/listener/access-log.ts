import { loggedPath } from '@mp/service-kit/logged-path';
import type { Logger } from '@mp/service-kit/logger';
import { traceIdOf } from '@mp/service-kit/traces';
import type { Exchange } from '../exchange.ts';

export type AccessLog = (exchange: Exchange, ms: number) => void;

/**
 * Logs one line for each request, by its route and never by its query or a secret. Requests that fail (a status of 400 or more, or an
 * aborted response) are always logged, others by `sampleRate`, from 0 to 1. Health checks are not logged.
 */
export function createAccessLog(logger: Pick<Logger, 'info'>, sampleRate: number): AccessLog {
  return (exchange, ms) => {
    const { req, res, method, route, path, requestId, caller, address, errorCode, traceparent, ended } = exchange;
    const isFailed = res.statusCode >= 400 || ended === 'broken';
    if (!isFailed && (sampleRate === 0 || (sampleRate < 1 && Math.random() >= sampleRate))) return;
    if (path.startsWith('/health/')) return;
    logger.info(
      {
        method,
        route: route?.path,
        // Undefined fields are omitted. The path of a route with parameters would be another one for each resource.
        path: route === undefined ? loggedPath(path) : undefined,
        status: res.headersSent ? res.statusCode : undefined,
        ended: ended === 'relayed' ? undefined : ended,
        code: errorCode,
        ms: Math.round(ms * 10) / 10,
        request_id: requestId,
        trace_id: traceIdOf(traceparent ?? req.headers.traceparent),
        account_id: caller?.account.id,
        credential_id: caller?.id,
        address,
      },
      'request',
    );
  };
}
