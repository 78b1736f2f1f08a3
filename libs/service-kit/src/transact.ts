import { ApiError } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  answer,
  type Claim,
  callerOf,
  claimKey,
  claimsOf,
  fingerprintOf,
  keptMs,
  type Outcome,
  outcomeOf,
  stillRunning,
} from './idempotency.ts';
import { conflictLimitMs, isDuplicateKey, type Mongo, prepareCollection, type Transaction } from './mongo.ts';
import { seal, unseal } from './seal.ts';

export type { Outcome };
export type Transact = ReturnType<typeof createTransact>['transact'];

/** How long a request waits for its own twin before it is told that the twin still runs. */
const twinLimitMs = 2_000;

type TransactOptions = {
  /**
   * The answer shows something that is stored nowhere, such as a new key: what is kept for replay is encrypted, and for
   * its caller only. Somebody else has not been asked whether they may have it.
   */
  secret?: boolean;
  /**
   * What is checked outside of the transaction, such as by asking other services. A retry whose answer is stored gets
   * that answer whatever this says: what held then need not hold now.
   */
  before?: () => Promise<void>;
};

const sealedFor = 'idempotency outcome';

/**
 * Runs a write in one MongoDB transaction and answers with its outcome.
 *
 * With an Idempotency-Key the claim is written in that same transaction, so a retry finds either the finished write and
 * its stored answer, or nothing at all: there is no state in between. Only success is stored.
 */
export function createTransact(mongo: Mongo, keyring: Keyring) {
  const claims = claimsOf(mongo.db);

  const kept = (key: string, outcome: Outcome, secret: boolean): Pick<Claim, 'outcome' | 'sealed'> =>
    secret ? { sealed: seal(keyring, sealedFor, JSON.stringify(outcome), key) } : { outcome };

  function opened(claim: Claim): Claim {
    if (claim.sealed === undefined) return claim;
    const text = unseal(keyring, sealedFor, claim.sealed, claim._id);
    if (text === undefined) throw new ApiError('CONFLICT', 'This Idempotency-Key was used, and its answer cannot be shown again.');
    return { ...claim, outcome: JSON.parse(text) };
  }

  async function transact(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Transaction) => Promise<Outcome>,
    { secret = false, before }: TransactOptions = {},
  ) {
    const origin = { correlationId: request.id, causationId: null };
    const key = claimKey(request);
    if (key === undefined) {
      await before?.();
      return answer(reply, await mongo.transaction(origin, work));
    }

    const { accountId } = request.principal;
    const fingerprint = fingerprintOf(request, secret ? callerOf(request) : '');
    const stored = async (tx?: Transaction) => {
      const claim = await claims.findOne({ _id: key }, tx && { session: tx.session });
      return claim ? outcomeOf(opened(claim), fingerprint) : undefined;
    };

    let replayed: Outcome | undefined;
    let metTwin = false;
    try {
      await before?.();
      const outcome = await mongo.transaction(
        origin,
        async (tx) => {
          metTwin = false;
          replayed = await stored(tx);
          if (replayed) return replayed;
          const fresh = await work(tx);
          const claim = {
            _id: key,
            account_id: accountId,
            fingerprint,
            ...kept(key, fresh, secret),
            expires_at: new Date(Date.now() + keptMs),
          };
          await claims.insertOne(claim, { session: tx.session }).catch((error: unknown) => {
            metTwin = true;
            throw error;
          });
          return fresh;
        },
        // Meeting other requests for the same thing is not meeting a twin.
        () => (metTwin ? twinLimitMs : conflictLimitMs),
      );
      return answer(reply, outcome, replayed !== undefined);
    } catch (error) {
      // A twin may have finished before or meanwhile: its answer is ours, whatever stopped us.
      const outcome = isTwinConflict(error) ? await stored() : undefined;
      if (outcome) return answer(reply, outcome, true);
      if (metTwin && error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE') throw stillRunning(error);
      throw error;
    }
  }

  return {
    transact,
    prepare: () => prepareCollection(claims, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1 } }], mongo.db),
  };
}

const isTwinConflict = (error: unknown) => isDuplicateKey(error) || (error instanceof ApiError && error.code !== 'IDEMPOTENCY_KEY_REUSED');
