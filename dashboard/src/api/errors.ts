import type { Failure } from '@marketing-platform/sdk';

/** The gateway could not be reached at all. */
export class ConnectionLost extends Error {
  constructor(options?: ErrorOptions) {
    super("Can't reach the platform. Retrying…", options);
    this.name = 'ConnectionLost';
  }
}

/** An error response: the API's error, or only the status if something in front of the API responded. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly details: NonNullable<Failure['error']['details']>;
  readonly requestId: string | undefined;

  constructor(status: number, error: Failure['error'] | undefined) {
    super(error?.message ?? `The request failed with status ${status}.`);
    this.name = 'RequestFailed';
    this.status = status;
    this.code = error?.code;
    this.details = error?.details ?? [];
    this.requestId = error?.request_id;
  }
}

export function isFailure(body: unknown): body is Failure {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
}

/** Whether an automatic retry makes sense: a rate limit, an unavailable service or a lost response. */
export const isPassing = (error: unknown) => error instanceof RequestFailed && [429, 502, 503, 504].includes(error.status);

/** The resource that already has the name, if that is why a request failed. */
export function existingIdIn(error: unknown): string | undefined {
  if (!(error instanceof RequestFailed)) return undefined;
  for (const { existing_id } of error.details) if (typeof existing_id === 'string') return existing_id;
  return undefined;
}
