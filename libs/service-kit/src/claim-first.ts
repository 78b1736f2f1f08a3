import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answer, claimKey, claimsOf, fingerprintOf, keptMs, type Outcome, outcomeOf, stillRunning } from './idempotency.ts';
import { isDuplicateKey, type Mongo } from './mongo.ts';

export type ClaimFirst = ReturnType<typeof createClaimFirst>;

/** A process that died holds its claim no longer than this. */
const usualLeaseMs = 60_000;

/**
 * For writes too long for one transaction: claims the Idempotency-Key, works, then stores the answer. A twin meanwhile
 * gets 409 IDEMPOTENCY_IN_PROGRESS, however long the work takes: the claim is renewed while it runs. When the first
 * request died, its retry does the work again: the work must be one that may be repeated, such as upserts. A refused
 * request leaves no claim. Whatever is written about a claim names its token: nobody touches what another took over.
 */
export function createClaimFirst(mongo: Mongo, { leaseMs = usualLeaseMs } = {}) {
  const claims = claimsOf(mongo.db);
  const leaseFrom = (now: number) => ({ lease_until: new Date(now + leaseMs) });

  async function claim(_id: string, accountId: string, fingerprint: string, token: string): Promise<Outcome | undefined> {
    const now = Date.now();
    const mine = { token, ...leaseFrom(now), expires_at: new Date(now + keptMs) };
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
    const key = claimKey(request);
    if (key === undefined) return answer(reply, await work());
    const token = randomUUID();
    const earlier = await claim(key, request.principal.accountId, fingerprintOf(request), token);
    if (earlier) return answer(reply, earlier, true);

    const mine = { _id: key, token, outcome: { $exists: false } };
    const renewing = setInterval(() => {
      // One that fails is made up for by the next.
      claims.updateOne(mine, { $set: leaseFrom(Date.now()) }).catch((err: unknown) => request.log.warn({ err }, 'claim not renewed'));
    }, leaseMs / 3);
    try {
      const outcome = await work().catch(async (error: unknown) => {
        await claims.deleteOne(mine).catch((err: unknown) => request.log.warn({ err }, 'claim not given back'));
        throw error;
      });
      // The work is done, whether or not its answer can be kept: then the claim stands until its lease ends.
      await claims
        .updateOne(mine, { $set: { outcome, expires_at: new Date(Date.now() + keptMs) } })
        .catch((err: unknown) => request.log.warn({ err }, 'answer not kept for a retry'));
      return answer(reply, outcome);
    } finally {
      clearInterval(renewing);
    }
  };
}
