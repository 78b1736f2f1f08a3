import { ApiError } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Claim,
  callerOf,
  claimKeyOf,
  claimRetentionMs,
  claimsOf,
  fingerprintOf,
  type Outcome,
  outcomeOf,
  sendOutcome,
  stillRunning,
} from './idempotency-claim.ts';
import { isDuplicateKey, type Mongo, maxConflictMs, prepareCollection, type Transaction } from './mongo.ts';
import { seal, unseal } from './seal.ts';

export type { Outcome };
export type Transact = ReturnType<typeof createTransact>['transact'];

/** How long a request waits for a concurrent one with the same key before it gets IDEMPOTENCY_IN_PROGRESS. */
const maxTwinMs = 2_000;

type SecretOption = {
  /**
   * The response contains a secret that is stored nowhere else, such as a new key. It is stored encrypted for retries and returned to
   * the same caller only.
   */
  secret?: boolean;
};

type CheckOption<Checked> = {
  /**
   * Checks outside of the transaction, such as requests to other services, and returns what the transaction needs of them. A retry gets
   * its stored response even if they fail now, because the result may have changed since.
   */
  before: () => Promise<Checked>;
};

const sealedFor = 'idempotency outcome';

/**
 * Runs a write in one MongoDB transaction and sends its outcome as the response.
 *
 * With an Idempotency-Key, the claim is written in the same transaction, so a retry finds either the finished write with its stored
 * response, or nothing. Only successful responses are stored.
 */
export function createTransact(mongo: Mongo, keyring: Keyring) {
  const claims = claimsOf(mongo.db);

  const kept = (key: string, outcome: Outcome, secret: boolean): Pick<Claim, 'outcome' | 'sealed'> =>
    secret ? { sealed: seal(keyring, sealedFor, JSON.stringify(outcome), key) } : { outcome };

  function opened(claim: Claim): Claim {
    if (claim.sealed === undefined) return claim;
    const text = unseal(keyring, sealedFor, claim.sealed, claim._id);
    if (text === undefined)
      throw new ApiError('CONFLICT', 'This Idempotency-Key was already used, and its response cannot be shown again; use a new one.');
    return { ...claim, outcome: JSON.parse(text) };
  }

  function transact(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Transaction) => Promise<Outcome>,
    options?: SecretOption,
  ): Promise<void>;
  function transact<Checked>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Transaction, checked: Checked) => Promise<Outcome>,
    options: SecretOption & CheckOption<Checked>,
  ): Promise<void>;
  async function transact<Checked>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Transaction, checked: Checked | undefined) => Promise<Outcome>,
    { secret = false, before }: SecretOption & Partial<CheckOption<Checked>> = {},
  ) {
    const origin = { correlationId: request.id, causationId: null };
    // A public route has no caller.
    const { principal }: { principal?: FastifyRequest['principal'] } = request;
    const contendsFor = `${principal?.accountId} ${request.url}`;
    const key = claimKeyOf(request);
    if (key === undefined) {
      const checked = await before?.();
      return sendOutcome(reply, await mongo.transaction(origin, (tx) => work(tx, checked), { contendsFor }));
    }

    const fingerprint = fingerprintOf(request, secret ? callerOf(request) : '');
    const stored = async (tx?: Transaction) => {
      const claim = await claims.findOne({ _id: key }, tx && { session: tx.session });
      return claim ? outcomeOf(opened(claim), fingerprint) : undefined;
    };

    let replayed: Outcome | undefined;
    let metTwin = false;
    try {
      const checked = await before?.();
      const outcome = await mongo.transaction(
        origin,
        async (tx) => {
          metTwin = false;
          replayed = await stored(tx);
          if (replayed) return replayed;
          const fresh = await work(tx, checked);
          const claim = {
            _id: key,
            account_id: request.principal.accountId,
            fingerprint,
            ...kept(key, fresh, secret),
            expires_at: new Date(Date.now() + claimRetentionMs),
          };
          await claims.insertOne(claim, { session: tx.session }).catch((error: unknown) => {
            metTwin = true;
            throw error;
          });
          return fresh;
        },
        // Conflicts with other requests for the same resource get the longer limit.
        { limitMs: () => (metTwin ? maxTwinMs : maxConflictMs), contendsFor },
      );
      return sendOutcome(reply, outcome, replayed !== undefined);
    } catch (error) {
      // A request with the same key may have finished in the meantime; then its response is returned whatever failed here.
      const outcome = isTwinConflict(error) ? await stored() : undefined;
      if (outcome) return sendOutcome(reply, outcome, true);
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
