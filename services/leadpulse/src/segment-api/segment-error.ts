import { ApiError, errorCodes } from '@mp/contracts/errors';
import { isMongoUnavailable, isUnavailable } from '@mp/service-kit/mongo';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** Segment answers a body that is not JSON, or too large, with 400. Its libraries do not repeat such a request. */
export class SegmentError extends Error {
  readonly statusCode = 400;
}

/**
 * Errors as Segment's libraries read them: `code` and `message` at the top (the one for Python fails without them), 400 for what
 * must not be sent again, and 429 and 5xx, with Retry-After, for what must.
 */
export function sendSegmentError(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { status, code, message, retryAfter } = responseTo(error);
  if (status >= 500) {
    if (isUnavailable(error) || error instanceof ApiError) request.log.warn({ err: error }, 'a call to the Segment-compatible API failed');
    else request.log.error({ err: error }, 'a call to the Segment-compatible API failed');
  }
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ success: false, code, message }));
}

type ErrorResponse = { status: number; code: string; message: string; retryAfter?: number | undefined };

function responseTo(error: FastifyError): ErrorResponse {
  if (error instanceof ApiError) {
    const { code, message, retryAfter } = error;
    return { status: errorCodes[code].status, code: code.toLowerCase(), message, retryAfter };
  }
  if (error instanceof SegmentError) return { status: 400, code: 'invalid_request', message: error.message };
  if (isMongoUnavailable(error))
    return { status: 503, code: 'service_unavailable', message: 'The database is temporarily unavailable; try again.', retryAfter: 2 };
  if (error.statusCode !== undefined && error.statusCode < 500)
    return { status: 400, code: 'invalid_request', message: 'Send JSON of at most 500 kB.' };
  return { status: 500, code: 'internal_error', message: 'Something went wrong on our side.' };
}
