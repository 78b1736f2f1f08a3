import { ApiError } from '@mp/contracts/errors';

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined);

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const reset = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const late = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_TOTAL_TIMEOUT']);

/** Whether no connection could be opened, so that the service has seen nothing of the request. */
export const isUnreachable = (error: unknown) => unreachable.has(codeOf(error) ?? '');

/** Whether the connection was lost before a response began. */
export const wasReset = (error: unknown) => reset.has(codeOf(error) ?? '');

/** The error for the client when a service fails. Errors meant for clients are returned unchanged. */
export function upstreamError(service: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnreachable(error)) {
    return new ApiError('SERVICE_UNAVAILABLE', `The ${service} service is temporarily unavailable; try again.`, {
      retryAfter: 2,
      cause: error,
    });
  }
  if (late.has(codeOf(error) ?? '')) {
    return new ApiError('UPSTREAM_TIMEOUT', `The ${service} service did not respond in time; the request may have taken effect.`, {
      cause: error,
    });
  }
  return new ApiError('UPSTREAM_ERROR', `The ${service} service aborted its response.`, { cause: error });
}

/** The service has received the whole request but has not begun to respond. */
export const headersTimeout = () => Object.assign(new Error('the response took too long to begin'), { code: 'UND_ERR_HEADERS_TIMEOUT' });

/** The service has begun its response but stalls. */
export const bodyTimeout = () => Object.assign(new Error('the response stalled for too long'), { code: 'UND_ERR_BODY_TIMEOUT' });

/** The whole exchange took too long. */
export const totalTimeout = () => Object.assign(new Error('the request took too long'), { code: 'UND_ERR_TOTAL_TIMEOUT' });
