import type { FailureError } from './generated/types.gen.ts';
import { isJson } from './is-json.ts';

/** The codes in the OpenAPI document. A newer platform can send others. */
export type ErrorCode = FailureError['code'] | (string & {});
export type ErrorDetail = NonNullable<FailureError['details']>[number];

export type ApiFailure = {
  status: number;
  code: ErrorCode;
  message: string;
  requestId?: string | undefined;
  details?: readonly ErrorDetail[] | undefined;
  docUrl?: string | undefined;
  retryAfter?: number | undefined;
  /** The response did not arrive as a whole, so it may be one that is worth a retry. */
  isCut?: boolean;
};

/** Every error that this package throws, except those of an aborted `signal`. */
export class MarketingPlatformError extends Error {
  /** The key of the write that failed. Whether it took effect is not always known: pass the key again, and it takes effect once. */
  idempotencyKey: string | undefined;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The platform rejected the request. */
export class ApiError extends MarketingPlatformError {
  readonly status: number;
  readonly code: ErrorCode;
  /** Quote it when you ask for support. */
  readonly requestId: string | undefined;
  /** For a `ValidationError`, one entry per problem; for limits, the limit and its current use. */
  readonly details: readonly ErrorDetail[];
  /** Documentation of the error. */
  readonly docUrl: string | undefined;
  /** Seconds until a retry can succeed, if the platform says so. */
  readonly retryAfter: number | undefined;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = failure.requestId;
    this.details = failure.details ?? [];
    this.docUrl = failure.docUrl;
    this.retryAfter = failure.retryAfter;
  }
}

/** The request is invalid: `details` names each field. */
export class ValidationError extends ApiError {}
/** The API key or token is missing or not valid. */
export class AuthenticationError extends ApiError {}
/** The key, the plan, the account's status or the IP address does not allow the request. */
export class PermissionError extends ApiError {}
export class NotFoundError extends ApiError {}
/** The request conflicts with the current state, such as an email address that another contact has. */
export class ConflictError extends ApiError {}
/** The resource has changed since the ETag in `ifMatch`. */
export class PreconditionFailedError extends ApiError {}
/** The idempotency key was used for a different request. */
export class IdempotencyKeyReusedError extends ApiError {}
/** Too many requests: `code` is `RATE_LIMITED` (per second) or `QUOTA_EXCEEDED` (per day). */
export class RateLimitError extends ApiError {}
/** The platform failed or is temporarily unavailable. */
export class ServerError extends ApiError {}

/** No complete response: the connection failed in every attempt. `cause` is the error of the last one. */
export class ConnectionError extends MarketingPlatformError {}
/** No complete response within `timeout`, in every attempt. */
export class TimeoutError extends ConnectionError {}
/** The webhook is not signed with the secret, or is too old. */
export class WebhookVerificationError extends MarketingPlatformError {}

const byStatus: Record<number, typeof ApiError> = {
  400: ValidationError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitError,
};

const byCode: Record<string, typeof ApiError> = {
  VALIDATION_ERROR: ValidationError,
  IDEMPOTENCY_KEY_REUSED: IdempotencyKeyReusedError,
  QUOTA_EXCEEDED: RateLimitError,
};

export function errorFor(failure: ApiFailure): ApiError {
  const Class = byCode[failure.code] ?? byStatus[failure.status] ?? (failure.status >= 500 ? ServerError : ApiError);
  return new Class(failure);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);
const isDetail = (value: unknown): value is ErrorDetail => isObject(value) && typeof value.message === 'string';

async function bodyOf(response: Response): Promise<{ body?: unknown; isCut: boolean }> {
  const text = await response.text().catch(() => undefined);
  if (text === undefined) return { isCut: true };
  try {
    return { body: JSON.parse(text), isCut: false };
  } catch {
    return { isCut: isJson(response) };
  }
}

/** Reads the standard form of an error, OAuth's, or, from a proxy in between, neither. */
export async function failureOf(response: Response, retryAfter: number | undefined): Promise<ApiFailure> {
  const { status } = response;
  const { body, isCut } = await bodyOf(response);
  const error = isObject(body) ? body.error : undefined;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  if (isObject(error)) {
    return {
      ...{
        status,
        retryAfter,
        isCut,
        code: textOf(error.code) ?? 'UNKNOWN',
        message: textOf(error.message) ?? `The platform responded with ${status}.`,
      },
      requestId: textOf(error.request_id) ?? requestId,
      details: Array.isArray(error.details) ? error.details.filter(isDetail) : [],
      docUrl: textOf(error.doc_url),
    };
  }
  const described = isObject(body) ? textOf(body.error_description) : undefined;
  return {
    status,
    retryAfter,
    isCut,
    requestId,
    code: textOf(error) ?? 'UNKNOWN',
    message: described ?? `The response has status ${status} and no description of the error.`,
  };
}
