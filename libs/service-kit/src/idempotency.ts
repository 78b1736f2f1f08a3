import { createHash } from 'node:crypto';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from 'mongodb';

/** What a write answers; `etag` is the resource's revision. */
export type Outcome = { status: number; data: object; location?: string; etag?: string };

/**
 * One Idempotency-Key of one account and route. Without an outcome its first request still runs, until `lease_until`.
 * An outcome that shows a secret is `sealed`.
 */
export type Claim = {
  _id: string;
  account_id: string;
  fingerprint: string;
  outcome?: Outcome;
  sealed?: string;
  /** Whose claim it is while it runs. */
  token?: string;
  lease_until?: Date;
  expires_at: Date;
};

export const claimsOf = (db: Db) => db.collection<Claim>('idempotency_claims');

/** How long an answer is kept for replay. */
export const keptMs = 24 * 60 * 60 * 1_000;

/** The stored answer for the same request. Throws IDEMPOTENCY_KEY_REUSED for another one. */
export function outcomeOf(claim: Claim, fingerprint: string): Outcome | undefined {
  if (claim.fingerprint === fingerprint) return claim.outcome;
  throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used for a different request; use a new one.');
}

export const stillRunning = (cause?: unknown) =>
  new ApiError('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running.', { retryAfter: 1, cause });

export function answer(reply: FastifyReply, outcome: Outcome, replayed = false) {
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (outcome.location) reply.header('location', outcome.location);
  if (outcome.etag) reply.header('etag', outcome.etag);
  return reply.code(outcome.status).send({ success: true, data: outcome.data });
}

/** Visible ASCII, bare or as an RFC 8941 string; the header is optional. Throws VALIDATION_ERROR when malformed. */
export function claimKey(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = typeof header === 'string' ? header.replace(/^"(.*)"$/, '$1') : '';
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid('/headers/idempotency-key', 'invalid_format', 'Idempotency-Key has 1 to 255 visible ASCII characters.');
  }
  return [request.principal.accountId, request.method, request.routeOptions.url, key].join(' ');
}

/** What makes it the same request. `asked` is by whom, where the answer is not for everybody who may ask for such a thing. */
export const fingerprintOf = (request: FastifyRequest, asked = '') =>
  createHash('sha256')
    .update(`${request.method} ${request.url}\n${canonical(request.body)}${asked}`)
    .digest('base64url');

/** The caller with what it may do: a token may do less than another one of the same client. */
export const callerOf = ({ principal: { id, permission, scopes } }: FastifyRequest) =>
  `\n${JSON.stringify([id, permission, scopes && [...scopes].sort()])}`;

/** JSON with sorted members, so that the same body always reads the same. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
