import type { FastifyReply, FastifyRequest } from 'fastify';
import { answer, claimKey, claimsOf, fingerprintOf, keptMs, type Outcome, outcomeOf, stillRunning } from './idempotency.ts';
import { isDuplicateKey, type Mongo } from './mongo.ts';

export type ClaimFirst = ReturnType<typeof createClaimFirst>;

/** A process that died holds its claim no longer than this. */
const leaseMs = 60_000;

/**
 * For writes too long for one transaction: claims the Idempotency-Key, works, then stores the answer. A twin meanwhile
 * gets 409 IDEMPOTENCY_IN_PROGRESS. When the first request died, its retry does the work again: the work must be one
 * that may be repeated, such as upserts. A refused request leaves no claim.
 */
export function createClaimFirst(mongo: Mongo) {
  const claims = claimsOf(mongo.db);

  async function claim(_id: string, accountId: string, fingerprint: string): Promise<Outcome | undefined> {
    const now = Date.now();
    const lease = { lease_until: new Date(now + leaseMs), expires_at: new Date(now + keptMs) };
    try {
      await claims.insertOne({ _id, account_id: accountId, fingerprint, ...lease });
      return undefined;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const earlier = await claims.findOne({ _id });
    const outcome = earlier && outcomeOf(earlier, fingerprint);
    if (outcome) return outcome;
    const { modifiedCount } = await claims.updateOne(
      { _id, outcome: { $exists: false }, lease_until: { $lt: new Date(now) } },
      { $set: lease },
    );
    if (modifiedCount === 0) throw stillRunning();
    return undefined;
  }

  return async function claimFirst(request: FastifyRequest, reply: FastifyReply, work: () => Promise<Outcome>) {
    const key = claimKey(request);
    if (key === undefined) return answer(reply, await work());
    const earlier = await claim(key, request.principal.accountId, fingerprintOf(request));
    if (earlier) return answer(reply, earlier, true);
    try {
      const outcome = await work();
      await claims.updateOne({ _id: key }, { $set: { outcome, expires_at: new Date(Date.now() + keptMs) } });
      return answer(reply, outcome);
    } catch (error) {
      await claims.deleteOne({ _id: key, outcome: { $exists: false } });
      throw error;
    }
  };
}
