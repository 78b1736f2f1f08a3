import type { ErrorDetail } from './envelope.ts';

/**
 * Each code a client can receive, its status, and what it means.
 * OpenAPI and docs/errors.md are made from this table.
 */
export const errorCodes = {
  VALIDATION_ERROR: { status: 400, meaning: 'The request data is invalid; `details` names each member and what would be right.' },
  UNAUTHORIZED: { status: 401, meaning: 'The credential is missing, unknown, revoked or expired.' },
  FORBIDDEN: { status: 403, meaning: 'The credential lacks the permission or the scope for this action.' },
  PLAN_LIMIT_EXCEEDED: { status: 403, meaning: 'The plan does not allow more of this; waiting does not help.' },
  ACCOUNT_SUSPENDED: { status: 403, meaning: 'The account is suspended.' },
  IP_NOT_ALLOWED: { status: 403, meaning: 'The credential may not be used from this address.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such path, or no such resource in this account.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, but not with this method; `Allow` lists those that do.' },
  CONFLICT: { status: 409, meaning: 'Another resource already has this unique value.' },
  INVALID_STATE: { status: 409, meaning: 'The resource is in a state that does not allow this.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, meaning: 'The first request with this Idempotency-Key is still running.' },
  PRECONDITION_FAILED: { status: 412, meaning: 'The resource has changed since the version named in `If-Match`.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The request body is larger than this endpoint takes.' },
  URI_TOO_LONG: { status: 414, meaning: 'The path and query are longer than 8,192 bytes.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not in a format this endpoint reads.' },
  EXPECTATION_FAILED: { status: 417, meaning: 'The request has an `Expect` other than `100-continue`.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'This Idempotency-Key was already used for a different request.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests at once; `Retry-After` says when to come back.' },
  QUOTA_EXCEEDED: { status: 429, meaning: "The plan's requests for this UTC day are spent." },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request headers are larger than 16 KiB.' },
  INTERNAL_ERROR: { status: 500, meaning: 'A fault on our side.' },
  UPSTREAM_ERROR: { status: 502, meaning: 'A service broke its answer off.' },
  SERVICE_UNAVAILABLE: { status: 503, meaning: 'A part of the platform is away for the moment; `Retry-After` says when to come back.' },
  UPSTREAM_TIMEOUT: { status: 504, meaning: 'A service did not answer in time; the request may have taken effect.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

type Extras = ErrorOptions & {
  details?: readonly ErrorDetail[];
  /** Seconds after which to try again. */
  retryAfter?: number;
};

/** An error meant for the client: a stable code and a message that says what would be right. */
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

/** The one answer for everything that is not there: unknown, malformed, deleted, or another account's. */
export const notFound = () => new ApiError('NOT_FOUND', 'There is nothing here with this path or id.');

/** A fault that a rule, not the schema, found in one member of the request. */
export const invalid = (path: string, code: string, message: string) =>
  new ApiError('VALIDATION_ERROR', message, { details: [{ path, code, message }] });
