import { z } from 'zod';

/**
 * Every error code a client can receive, with its status and meaning.
 * OpenAPI and docs/errors.md are generated from this table.
 */
export const errorCodes = {
  VALIDATION_ERROR: { status: 400, meaning: 'The request is invalid; `details` names each invalid field and what would be valid.' },
  UNAUTHORIZED: { status: 401, meaning: 'The credential is missing, unknown, revoked or expired.' },
  FORBIDDEN: { status: 403, meaning: 'The credential lacks the permission or the scope for this operation.' },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    meaning:
      'The user of the dashboard must prove a second factor again, or add one, before this operation. API keys and tokens never get this error.',
  },
  PLAN_LIMIT_EXCEEDED: { status: 403, meaning: "The account has reached a limit of its plan. Retrying doesn't help." },
  ACCOUNT_SUSPENDED: { status: 403, meaning: 'The account is suspended.' },
  IP_NOT_ALLOWED: { status: 403, meaning: 'The credential is not allowed from this IP address.' },
  NOT_FOUND: { status: 404, meaning: 'The path is unknown, or the account has no resource with this ID.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path does not support this method; the `Allow` header lists the methods it supports.' },
  CONFLICT: { status: 409, meaning: 'Another resource already has this unique value.' },
  INVALID_STATE: { status: 409, meaning: 'The resource is in a state that does not allow this operation.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, meaning: 'The first request with this `Idempotency-Key` is still running.' },
  PRECONDITION_FAILED: { status: 412, meaning: 'The resource has changed since the version in `If-Match`.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The request body is larger than this endpoint accepts.' },
  URI_TOO_LONG: { status: 414, meaning: 'The path and query are longer than 8,192 bytes.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'This endpoint does not accept the content type or encoding of the body.' },
  EXPECTATION_FAILED: { status: 417, meaning: 'The `Expect` header is not `100-continue`.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'This `Idempotency-Key` was already used for a different request.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests in a short time; retry after the seconds in `Retry-After`.' },
  QUOTA_EXCEEDED: { status: 429, meaning: 'The daily quota of the plan is exhausted; it resets at 00:00 UTC.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request headers are larger than 16 KiB.' },
  INTERNAL_ERROR: { status: 500, meaning: 'An unexpected error on our side.' },
  UPSTREAM_ERROR: { status: 502, meaning: 'A service aborted its response; the request may have taken effect.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'A part of the platform is temporarily unavailable; retry after the seconds in `Retry-After`.',
  },
  UPSTREAM_TIMEOUT: { status: 504, meaning: 'A service did not respond in time; the request may have taken effect.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** One problem of a failed request. */
export const ErrorDetail = z
  .object({
    path: z.string().optional().describe('JSON pointer to the invalid field, such as `/address/country`.'),
    code: z.string().optional().describe('Stable code of the problem, such as `invalid_format`.'),
    message: z.string().optional().describe('What is wrong and what would be valid.'),
  })
  .catchall(z.unknown());
export type ErrorDetail = z.infer<typeof ErrorDetail>;

type Extras = ErrorOptions & {
  details?: readonly ErrorDetail[];
  /** Seconds to wait before a retry. */
  retryAfter?: number;
};

/** An error for the client: a stable code and a message that says what to do. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, { details, retryAfter, ...options }: Extras = {}) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

/**
 * The header in which the gateway tells a service the public URL of the platform, so that only the gateway needs to be configured. The
 * gateway removes it from requests of clients.
 */
export const publicUrlHeader = 'x-mp-public-url';

/** The URL of the page that explains an error code; without the public URL, the path on the gateway. */
export const docUrlOf = (code: ErrorCode, publicUrl = '') => `${publicUrl}/reference/errors#${code}`;

/** The same error for an ID that is unknown, malformed, deleted or of another account, so that it reveals nothing. */
export const notFound = () => new ApiError('NOT_FOUND', 'This account has no resource with this ID.');

/** Whether any parser could read this path as one of the API. */
export const isUnderV2 = (path: string) => /^\/+v2(?:[/%?;\\]|$)/i.test(path);

/** The error for a path that no route has. `nearest` is the path that may be meant. */
export function unknownPath(path: string, nearest?: string): ApiError {
  const where = isUnderV2(path) ? '' : '; it is under /v2';
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest.slice(0, 200)}?`;
  return new ApiError(
    'NOT_FOUND',
    `The API has no path ${JSON.stringify(path.slice(0, 200))}${where}.${meant} /reference lists all paths.`,
  );
}

/** A VALIDATION_ERROR for one field that the schema accepts and another rule rejects. */
export const invalid = (path: string, code: string, message: string) =>
  new ApiError('VALIDATION_ERROR', message, { details: [{ path, code, message }] });
