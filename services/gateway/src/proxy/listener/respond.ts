import type { Failure } from '@mp/contracts/envelope';
import { ApiError, docUrlOf, errorCodes } from '@mp/contracts/errors';
import { loggedPath } from '@mp/service-kit/logged-path';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import type { Exchange } from '../exchange.ts';
import { endBeforeBody } from '../forwarding/discard-body.ts';

/** The error to send to the client. Anything not meant for clients becomes INTERNAL_ERROR. */
function clientError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isMongoUnavailable(error)) {
    return new ApiError('SERVICE_UNAVAILABLE', 'The database is temporarily unavailable; try again.', { retryAfter: 2, cause: error });
  }
  return new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause: error });
}

export function failureBody({ code, message, details }: ApiError, requestId: string, publicUrl: string): Buffer {
  const failure: Failure = {
    success: false,
    error: { code, message, ...(details && { details: [...details] }), request_id: requestId, doc_url: docUrlOf(code, publicUrl) },
  };
  return Buffer.from(`${JSON.stringify(failure)}\n`);
}

/** The fields of a request for a line besides its access log line. */
export const loggedOf = ({ requestId, method, route, path, caller }: Exchange) => ({
  method,
  ...(route === undefined ? { path: loggedPath(path) } : { route: route.path }),
  request_id: requestId,
  account_id: caller?.account.id,
});

/** Whether the error is a deliberate rejection, whose stack is not worth logging. */
const isDeliberate = (error: unknown) => error instanceof ApiError && error.cause === undefined;

/** Sends a failure in the envelope. A response that has begun is aborted instead, so that it is never truncated silently. */
export function sendFailure(exchange: Exchange, error: unknown, logger: Logger) {
  const { req, res, headers, method, requestId, site } = exchange;
  if (res.destroyed || res.headersSent) {
    res.destroy();
    return;
  }
  const apiError = clientError(error);
  const { status } = errorCodes[apiError.code];
  exchange.errorCode = apiError.code;
  // The access log has a line for every request; this one has the reason of a fault.
  if (status >= 500 && !isDeliberate(error)) {
    const level = apiError.code === 'INTERNAL_ERROR' ? 'error' : 'warn';
    logger[level]({ err: error, ...loggedOf(exchange), status, code: apiError.code }, 'request failed');
  }
  const body = failureBody(apiError, requestId, site.publicUrl);
  res.writeHead(status, {
    ...headers,
    ...(apiError.retryAfter !== undefined && { 'retry-after': String(apiError.retryAfter) }),
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  if (req.complete) return void res.end(method === 'HEAD' ? undefined : body);
  if (method !== 'HEAD') res.write(body);
  endBeforeBody(req, res);
}
