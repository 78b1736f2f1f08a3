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

/** No connection could be made, so the service has seen nothing of the request. */
export const isUnreachable = (error: unknown) => unreachable.has(codeOf(error) ?? '');

/** The connection ended before an answer began. */
export const wasReset = (error: unknown) => reset.has(codeOf(error) ?? '');

/** What a client is told of a service that failed. Errors that are meant for clients pass as they are. */
export function upstreamError(service: string, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isUnreachable(error)) {
    return new ApiError('SERVICE_UNAVAILABLE', `The ${service} service is away for the moment; try again.`, {
      retryAfter: 2,
      cause: error,
    });
  }
  if (late.has(codeOf(error) ?? '')) {
    return new ApiError('UPSTREAM_TIMEOUT', `The ${service} service did not answer in time; the request may have taken effect.`, {
      cause: error,
    });
  }
  return new ApiError('UPSTREAM_ERROR', `The ${service} service broke its answer off.`, { cause: error });
}

/** The service has the whole request and does not begin to answer. */
export const headersTimeout = () => Object.assign(new Error('the answer took too long to begin'), { code: 'UND_ERR_HEADERS_TIMEOUT' });

/** The service has begun its answer and does not go on. */
export const bodyTimeout = () => Object.assign(new Error('the answer stood still for too long'), { code: 'UND_ERR_BODY_TIMEOUT' });

/** The whole exchange took too long. */
export const totalTimeout = () => Object.assign(new Error('the request took too long'), { code: 'UND_ERR_TOTAL_TIMEOUT' });
