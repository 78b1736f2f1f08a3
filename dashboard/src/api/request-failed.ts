import type { components } from './schema.d.ts';

type Failure = components['schemas']['Failure'];

/** The gateway could not be reached at all. */
export class ConnectionLost extends Error {
  constructor(options?: ErrorOptions) {
    super('The platform cannot be reached. Trying again…', options);
    this.name = 'ConnectionLost';
  }
}

/** An error that was answered: what the API said, or only the status when something before it answered. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly details: NonNullable<Failure['error']['details']>;
  readonly requestId: string | undefined;

  constructor(status: number, error: Failure['error'] | undefined) {
    super(error?.message ?? `The platform answered with status ${status} and nothing more.`);
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

/** The message about one member of the body, for the field that holds it. */
export function faultIn(error: unknown, path: string): string | undefined {
  if (!(error instanceof RequestFailed)) return undefined;
  return error.details.find((detail) => detail.path === path)?.message;
}

/** The first message about a member or anything in it. */
export function faultWithin(error: unknown, path: string): string | undefined {
  if (!(error instanceof RequestFailed)) return undefined;
  return error.details.find((detail) => detail.path === path || detail.path?.startsWith(`${path}/`))?.message;
}

/** Worth asking again by itself: a part of the platform is away, or the answer got lost. */
export const isPassing = (error: unknown) => error instanceof RequestFailed && [429, 502, 503, 504].includes(error.status);
