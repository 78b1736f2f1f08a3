import { validateHeaderValue } from 'node:http';
import { Failure } from '@mp/contracts/envelope';
import {
  ApiError,
  docUrlOf,
  type ErrorCode,
  type ErrorDetail,
  errorCodes,
  notFound,
  publicUrlHeader,
  unknownPath,
} from '@mp/contracts/errors';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { FailureLog } from './failure-log.ts';
import { inRequestContext } from './in-request-context.ts';
import { detailOf } from './issue-detail.ts';
import { isMongoUnavailable, isUnavailable } from './mongo.ts';

/** Answers a request that failed in the common error format, and logs what is not the fault of the client. */
export function sendFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply, unavailable: FailureLog) {
  const { code, message, details, retryAfter } = clientError(error, request);
  const { status } = errorCodes[code];
  inRequestContext(request, reply, () => {
    if (error instanceof ApiError && error.cause === undefined) {
      // Thrown deliberately, such as "too many at once": not a fault, and its stack has no information.
      if (status >= 500) request.log.warn({ status, code, reason: message }, 'request rejected');
    } else if (isUnavailable(error)) unavailable.failed(error);
    else if (status >= 500) request.log.error({ err: error }, 'request failed');
  });
  dropFailedHeaders(reply);
  reply.header('x-request-id', request.id);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  const publicUrl = request.headers[publicUrlHeader];
  const doc_url = docUrlOf(code, typeof publicUrl === 'string' ? publicUrl : undefined);
  const failure: Failure = {
    success: false,
    error: { code, message, ...(details && { details: [...details] }), request_id: request.id, doc_url },
  };
  return reply.code(status).type('application/json; charset=utf-8').serializer(jsonLine).send(Failure.parse(failure));
}

/** JSON that ends with a newline, so that a terminal shows its prompt on its own line. */
export const jsonLine = (value: unknown) => `${JSON.stringify(value)}\n`;

export const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? url;

/** Headers that say what the body is: of a file, or of a response that was about to be compressed. */
const bodyHeaders = ['content-encoding', 'content-disposition', 'content-length'];

/**
 * Removes the headers of the response that failed that describe its body, and invalid ones, so that they cannot prevent the error
 * response, which may be about them.
 */
function dropFailedHeaders(reply: FastifyReply) {
  for (const name of bodyHeaders) reply.removeHeader(name);
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    try {
      validateHeaderValue(name, String(value));
    } catch {
      reply.removeHeader(name);
    }
  }
}

type ClientError = { code: ErrorCode; message: string; details?: readonly ErrorDetail[] | undefined; retryAfter?: number | undefined };

/** The error as the client sees it. Errors that are not meant for clients become INTERNAL_ERROR. */
function clientError(error: FastifyError, request: FastifyRequest): ClientError {
  if (error instanceof ApiError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) return validationError(error);
  if (isMongoUnavailable(error))
    return { code: 'SERVICE_UNAVAILABLE', message: 'The database is temporarily unavailable; try again.', retryAfter: 2 };
  switch (error.statusCode) {
    case 400:
      return {
        code: 'VALIDATION_ERROR',
        message: error.message,
        details: [{ code: jsonCodes.has(error.code) ? 'invalid_json' : 'invalid_format', message: error.message }],
      };
    case 404:
      return unknownPath(pathOf(request));
    case 413:
      return { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than this endpoint accepts; send smaller requests.' };
    case 415:
      return { code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send the body as application/json.' };
    case 503:
      return { code: 'SERVICE_UNAVAILABLE', message: 'The service is shutting down; try again.', retryAfter: 1 };
    default:
      return { code: 'INTERNAL_ERROR', message: 'Something went wrong on our side.' };
  }
}

const jsonCodes = new Set(['FST_ERR_CTP_INVALID_JSON_BODY', 'FST_ERR_CTP_EMPTY_JSON_BODY', 'FST_ERR_CTP_INVALID_CONTENT_LENGTH']);

type ValidationFault = { instancePath: string; keyword: string; message?: string; params?: unknown };

const RestOfIssue = z.object({ keys: z.unknown().optional(), params: z.unknown().optional() }).catch({});

function validationError(
  error: FastifyError & { validation: readonly ValidationFault[]; validationContext?: string | undefined },
): ClientError {
  const part = error.validationContext === 'querystring' ? 'query' : (error.validationContext ?? 'body');
  // A malformed id in a path gets the same error as an unknown one.
  if (part === 'params') return notFound();
  const prefix = part === 'body' ? '' : `/${part}`;
  const details = error.validation.slice(0, 50).map(({ instancePath, keyword, message = 'invalid', params }) => {
    const { keys, params: own } = RestOfIssue.parse(params);
    const path = instancePath === '/' ? [] : instancePath.slice(1).split('/');
    const detail = detailOf({ code: keyword, path, message, keys, params: own });
    return { ...detail, path: detail.path === '/' ? prefix || '/' : `${prefix}${detail.path}` };
  });
  const [first] = details;
  return { code: 'VALIDATION_ERROR', message: first ? `${first.path}: ${first.message}` : 'The request is invalid.', details };
}
