import { randomUUID } from 'node:crypto';
import type { AccountId } from '@mp/ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  claimKeyOf,
  claimRetentionMs,
  claimsOf,
  fingerprintOf,
  type Outcome,
  outcomeOf,
  sendOutcome,
  stillRunning,
} from './idempotency-claim.ts';
import { isDuplicateKey, type Mongo } from './mongo.ts';

export type ClaimFirst = ReturnType<typeof createClaimFirst>;

/** How long the claim of a crashed process blocks retries. */
const usualLeaseMs = 60_000;

/**
 * For writes too long for one transaction: claims the Idempotency-Key, does the work, then stores the response. Until then a
 * concurrent request with the same key gets 409 IDEMPOTENCY_IN_PROGRESS; the claim is renewed while the work runs. If the process
 * crashes, a retry does the work again, so the work must be idempotent, such as upserts. A rejected request leaves no claim.
 * Every update of a claim names its token, so that a request never changes a claim that another one took over.
 */
export function createClaimFirst(mongo: Mongo, { leaseMs = usualLeaseMs } = {}) {
  const claims = claimsOf(mongo.db);
  const leaseFrom = (now: number) => ({ lease_until: new Date(now + leaseMs) });

  async function claim(_id: string, accountId: AccountId, fingerprint: string, token: string): Promise<Outcome | undefined> {
    const now = Date.now();
    const mine = { token, ...leaseFrom(now), expires_at: new Date(now + claimRetentionMs) };
    try {
      await claims.insertOne({ _id, account_id: accountId, fingerprint, ...mine });
      return undefined;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const earlier = await claims.findOne({ _id });
    const outcome = earlier && outcomeOf(earlier, fingerprint);
    if (outcome) return outcome;
    const { modifiedCount } = await claims.updateOne(
      { _id, outcome: { $exists: false }, lease_until: { $lt: new Date(now) } },
      { $set: mine },
    );
    if (modifiedCount === 0) throw stillRunning();
    return undefined;
  }

  return async function claimFirst(request: FastifyRequest, reply: FastifyReply, work: () => Promise<Outcome>) {
    const key = claimKeyOf(request);
    if (key === undefined) return sendOutcome(reply, await work());
    const token = randomUUID();
    const earlier = await claim(key, request.principal.accountId, fingerprintOf(request), token);
    if (earlier) return sendOutcome(reply, earlier, true);

    const mine = { _id: key, token, outcome: { $exists: false } };
    const renewing = setInterval(() => {
      // The interval is a third of the lease, so that a failed renewal is repeated in time.
      claims
        .updateOne(mine, { $set: leaseFrom(Date.now()) })
        .catch((err: unknown) => request.log.warn({ err }, 'cannot renew the idempotency claim'));
    }, leaseMs / 3);
    try {
      const outcome = await work().catch(async (error: unknown) => {
        await claims.deleteOne(mine).catch((err: unknown) => request.log.warn({ err }, 'cannot release the idempotency claim'));
        throw error;
      });
      // The work is done even if its response cannot be stored; then the claim remains until its lease ends.
      await claims
        .updateOne(mine, { $set: { outcome, expires_at: new Date(Date.now() + claimRetentionMs) } })
        .catch((err: unknown) => request.log.warn({ err }, 'cannot store the response for retries'));
      return sendOutcome(reply, outcome);
    } finally {
      clearInterval(renewing);
    }
  };
}
