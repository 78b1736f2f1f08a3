import { docUrlOf, type ErrorCode, errorCodes, notFound } from '@mp/contracts/errors';
import { headersOf } from './headers.ts';

/** A realistic message for each code. */
const examples: Record<ErrorCode, { message: string; details?: readonly object[] }> = {
  VALIDATION_ERROR: {
    message: '/email: Invalid email address',
    details: [{ path: '/email', code: 'invalid_format', message: 'Invalid email address' }],
  },
  UNAUTHORIZED: { message: 'The API key or access token is invalid: unknown, revoked or expired.' },
  FORBIDDEN: { message: 'A read_only credential may not POST; use one with the permission read_write or admin.' },
  SECOND_FACTOR_REQUIRED: { message: 'Confirm that it is you in the dashboard first: this session has no recent proof.' },
  PLAN_LIMIT_EXCEEDED: { message: 'An account can have at most 500 active API keys; revoke unused ones.' },
  ACCOUNT_SUSPENDED: { message: 'This account is suspended.' },
  IP_NOT_ALLOWED: { message: 'This credential may not be used from 203.0.113.7.' },
  NOT_FOUND: { message: notFound().message },
  METHOD_NOT_ALLOWED: { message: 'This path supports GET, HEAD, POST.' },
  CONFLICT: {
    message: 'Another contact already has this email.',
    details: [{ path: '/email', code: 'duplicate', message: 'Another contact already has this email.' }],
  },
  INVALID_STATE: { message: 'A campaign with status sent cannot be sent; the status must be draft or scheduled or failed.' },
  IDEMPOTENCY_IN_PROGRESS: { message: 'The first request with this Idempotency-Key is still running.' },
  PRECONDITION_FAILED: { message: 'The resource has changed and is now at version 3; get it again and repeat your change.' },
  PAYLOAD_TOO_LARGE: { message: 'The request body is limited to 1048576 bytes here; send less per request.' },
  URI_TOO_LONG: { message: 'The path and query are 9000 bytes long; the maximum is 8192.' },
  UNSUPPORTED_MEDIA_TYPE: { message: 'Send application/json.' },
  EXPECTATION_FAILED: { message: 'Only the expectation 100-continue is supported.' },
  IDEMPOTENCY_KEY_REUSED: { message: 'This Idempotency-Key was already used for a different request; use a new one.' },
  RATE_LIMITED: {
    message: 'At most 50 requests per second; slow down.',
    details: [{ limit: 50, used: 50, reset_at: '2026-03-01T12:00:01.000Z', plan: 'starter' }],
  },
  QUOTA_EXCEEDED: {
    message: 'The daily quota of 10000 requests is exhausted; it resets at midnight UTC.',
    details: [{ limit: 10_000, used: 10_000, reset_at: '2026-03-02T00:00:00.000Z', plan: 'starter' }],
  },
  HEADERS_TOO_LARGE: { message: 'The headers are 20000 bytes long; the maximum is 16384.' },
  INTERNAL_ERROR: { message: 'Something went wrong on our side.' },
  UPSTREAM_ERROR: { message: 'The contacts service aborted its response.' },
  SERVICE_UNAVAILABLE: { message: 'The contacts service is temporarily unavailable; try again.' },
  UPSTREAM_TIMEOUT: { message: 'The contacts service did not respond in time; the request may have taken effect.' },
};

const names: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'PayloadTooLarge',
  414: 'UriTooLong',
  415: 'UnsupportedMediaType',
  417: 'ExpectationFailed',
  422: 'IdempotencyKeyReused',
  429: 'TooManyRequests',
  431: 'HeadersTooLarge',
  500: 'InternalError',
  502: 'UpstreamError',
  503: 'ServiceUnavailable',
  504: 'UpstreamTimeout',
};

export type Takes = { body: boolean; stateful: boolean; write: boolean; ifMatch: boolean; oneOfMany: boolean };

/** The failure statuses of an operation, beside its own responses. 405 belongs to its path: methods that the path lacks. */
export function failureStatuses({ body, stateful, write, ifMatch, oneOfMany }: Takes): number[] {
  return [
    ...[400, 401, 403],
    ...(oneOfMany ? [404] : []),
    405,
    ...(stateful ? [409] : []),
    ...(ifMatch ? [412] : []),
    ...(body ? [413] : []),
    414,
    ...(body ? [415, 417] : []),
    ...(write ? [422] : []),
    ...[429, 431, 500, 502, 503, 504],
  ];
}

export const failureRef = (status: number) => ({ $ref: `#/components/responses/${names[status]}` });

const failureExample = (code: ErrorCode) => ({
  value: {
    success: false,
    error: {
      code,
      ...examples[code],
      request_id: 'req_01kjn2v0a7e8ws3q4m5x6y7z8a',
      doc_url: docUrlOf(code, 'https://marketing.example.com'),
    },
  },
});

/** `components.responses`: each failure status once, with an example for each of its codes. */
export function failureResponses() {
  const statuses = [...new Set(Object.values(errorCodes).map(({ status }) => status))].toSorted((a, b) => a - b);
  return Object.fromEntries(statuses.map((status) => [names[status], failureResponse(status)]));
}

function failureResponse(status: number) {
  const codes = Object.entries(errorCodes).filter(([, { status: own }]) => own === status);
  return {
    description: codes.map(([code, { meaning }]) => `\`${code}\`: ${meaning}`).join('\n\n'),
    headers: headersOf(status),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        examples: Object.fromEntries(codes.map(([code]) => [code, failureExample(code as ErrorCode)])),
      },
    },
  };
}
