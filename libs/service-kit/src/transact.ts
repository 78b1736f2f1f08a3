import { createHash } from 'node:crypto';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDuplicateKey, type Mongo, prepareCollection, type Transaction } from './mongo.ts';

/** What a write answers; `etag` is the resource's revision. */
export type Outcome = { status: number; data: object; location?: string; etag?: string };

type Claim = { _id: string; account_id: string; fingerprint: string; outcome: Outcome; expires_at: Date };

export type Transact = ReturnType<typeof createTransact>['transact'];

const keptMs = 24 * 60 * 60 * 1_000;

/** How long a request waits for its own twin before it is told that the twin still runs. */
const twinLimitMs = 2_000;

/**
 * Runs a write in one MongoDB transaction and answers with its outcome.
 *
 * With an Idempotency-Key the claim is written in that same transaction, so a retry finds either the finished write and
 * its stored answer, or nothing at all: there is no state in between. Only success is stored.
 */
export function createTransact(mongo: Mongo) {
  const claims = mongo.db.collection<Claim>('idempotency_claims');

  async function transact(request: FastifyRequest, reply: FastifyReply, work: (tx: Transaction) => Promise<Outcome>) {
    const origin = { correlationId: request.id, causationId: null };
    const key = claimKey(request);
    if (key === undefined) return answer(reply, await mongo.transaction(origin, work));

    const { accountId } = request.principal;
    const fingerprint = fingerprintOf(request);
    const stored = async (tx?: Transaction) => {
      const claim = await claims.findOne({ _id: key }, tx && { session: tx.session });
      if (claim && claim.fingerprint !== fingerprint) {
        throw new ApiError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used for a different request; use a new one.');
      }
      return claim?.outcome;
    };

    let replayed: Outcome | undefined;
    try {
      const outcome = await mongo.transaction(
        origin,
        async (tx) => {
          replayed = await stored(tx);
          if (replayed) return replayed;
          const fresh = await work(tx);
          await claims.insertOne(
            { _id: key, account_id: accountId, fingerprint, outcome: fresh, expires_at: new Date(Date.now() + keptMs) },
            { session: tx.session },
          );
          return fresh;
        },
        twinLimitMs,
      );
      return answer(reply, outcome, replayed !== undefined);
    } catch (error) {
      // A twin may have finished meanwhile: its answer is ours, whatever stopped us.
      const outcome = isTwinConflict(error) ? await stored() : undefined;
      if (outcome) return answer(reply, outcome, true);
      if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE' && error.cause !== undefined && !isDuplicateKey(error)) {
        throw new ApiError('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running.', {
          retryAfter: 1,
          cause: error,
        });
      }
      throw error;
    }
  }

  return {
    transact,
    prepare: () => prepareCollection(claims, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1 } }], mongo.db),
  };
}

const isTwinConflict = (error: unknown) => isDuplicateKey(error) || (error instanceof ApiError && error.code !== 'IDEMPOTENCY_KEY_REUSED');

function answer(reply: FastifyReply, outcome: Outcome, replayed = false) {
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (outcome.location) reply.header('location', outcome.location);
  if (outcome.etag) reply.header('etag', outcome.etag);
  return reply.code(outcome.status).send({ success: true, data: outcome.data });
}

/** Visible ASCII, bare or as an RFC 8941 string; the header is optional. Throws VALIDATION_ERROR when malformed. */
function claimKey(request: FastifyRequest): string | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = typeof header === 'string' ? header.replace(/^"(.*)"$/, '$1') : '';
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalid('/headers/idempotency-key', 'invalid_format', 'Idempotency-Key has 1 to 255 visible ASCII characters.');
  }
  return [request.principal.accountId, request.method, request.routeOptions.url, key].join(' ');
}

const fingerprintOf = (request: FastifyRequest) =>
  createHash('sha256')
    .update(`${request.method} ${request.url}\n${canonical(request.body)}`)
    .digest('base64url');

/** JSON with sorted members, so that the same body always reads the same. */
function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
