import { createHash } from 'node:crypto';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from 'mongodb';
import { renamesOf, withOldNames } from './renamed-fields.ts';

/** The response of a write; `etag` is the resource's revision. */
export type Outcome = { status: number; data: object; location?: string; etag?: string };

/**
 * One Idempotency-Key of one account and route. Without an outcome, its first request is running until `lease_until`.
 * An outcome with a secret is stored encrypted, as `sealed`.
 */
export type Claim = {
  _id: string;
  account_id: AccountId;
  fingerprint: string;
  outcome?: Outcome;
  sealed?: string;
  /** Identifies the request that holds the claim while it runs. */
  token?: string;
  lease_until?: Date;
  expires_at: Date;
};

export const claimsOf = (db: Db) => db.collection<Claim>('idempotency_claims');

/** How long a response is stored for retries. */
export const claimRetentionMs = 24 * 60 * 60 * 1_000;

/** The stored response for the same request. Throws IDEMPOTENCY_KEY_REUSED for a different one. */
export function outcomeOf(claim: Claim, fingerprint: string): Outcome | undefined {
  if (claim.fingerprint === fingerprint) return claim.outcome;
  throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used for a different request; use a new one.');
}

export const stillRunning = (cause?: unknown) =>
  new ApiError('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running; try again.', {
    retryAfter: 1,
    cause,
  });

export function sendOutcome(reply: FastifyReply, outcome: Outcome, replayed = false) {
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (outcome.location) reply.header('location', outcome.location);
  if (outcome.etag) reply.header('etag', outcome.etag);
  return reply.code(outcome.status).send({ success: true, data: outcome.data });
}

/**
 * The key of the claim: account, method, route and Idempotency-Key; undefined without the header. The header is visible ASCII, bare or as
 * an RFC 8941 string. Throws VALIDATION_ERROR when malformed.
 */
export function claimKeyOf(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = typeof header === 'string' ? header.replace(/^"(.*)"$/, '$1') : '';
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid('/headers/idempotency-key', 'invalid_format', 'Idempotency-Key must have 1 to 255 visible ASCII characters.');
  }
  return [request.principal.accountId, request.method, request.routeOptions.url, key].join(' ');
}

/** Identifies the request. With `caller`, for responses that only the original caller may see. */
export const fingerprintOf = (request: FastifyRequest, caller = '') =>
  createHash('sha256')
    .update(`${request.method} ${request.url}\n${canonical(bodyOf(request))}${caller}`)
    .digest('base64url');

/** The body by the names that it had first, so that a retry of an earlier version's request is still the same request. */
function bodyOf({ body, routeOptions }: FastifyRequest): unknown {
  const renames = renamesOf(routeOptions.schema?.body);
  return renames ? withOldNames(body, renames) : body;
}

/** The caller with its permissions, because tokens of the same client can have different ones. */
export const callerOf = ({ principal: { id, permission, scopes } }: FastifyRequest) =>
  `\n${JSON.stringify([id, permission, scopes && [...scopes].sort()])}`;

/** JSON with sorted properties, so that equal bodies have the same text. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
