import type { Failure } from '@mp/contracts/envelope';
import { ApiError, errorCodes } from '@mp/contracts/errors';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoAway } from '@mp/service-kit/mongo';
import { endBeforeBody } from './discard-body.ts';
import type { Exchange } from './exchange.ts';

/** What a client may know of an error. Anything not meant for clients becomes INTERNAL_ERROR. */
export function clientError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isMongoAway(error)) {
    return new ApiError('SERVICE_UNAVAILABLE', 'The database is away for the moment; try again.', { retryAfter: 2, cause: error });
  }
  return new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause: error });
}

export function failureBody({ code, message, details }: ApiError, requestId: string): Buffer {
  const failure: Failure = {
    success: false,
    error: { code, message, ...(details && { details: [...details] }), request_id: requestId },
  };
  return Buffer.from(JSON.stringify(failure));
}

/** Answers with a failure in the envelope. An answer that has begun is broken off instead: it is never completed into a lie. */
export function answerFailure({ req, res, headers, method, requestId }: Exchange, error: unknown, logger: Logger) {
  if (res.destroyed || res.headersSent) {
    res.destroy();
    return;
  }
  const told = clientError(error);
  const { status } = errorCodes[told.code];
  const level = told.code === 'INTERNAL_ERROR' ? 'error' : 'info';
  logger[level](
    { ...(status >= 500 && { err: error }), requestId, method, status, code: told.code },
    level === 'error' ? 'request failed' : 'refused',
  );
  const body = failureBody(told, requestId);
  res.writeHead(status, {
    ...headers,
    ...(told.retryAfter !== undefined && { 'retry-after': String(told.retryAfter) }),
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  if (req.complete) return void res.end(method === 'HEAD' ? undefined : body);
  if (method !== 'HEAD') res.write(body);
  endBeforeBody(req, res);
}
