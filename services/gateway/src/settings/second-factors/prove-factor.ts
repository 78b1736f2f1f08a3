import { ApiError, invalid } from '@mp/contracts/errors';
import { addressOf, networkOf } from '@mp/service-kit/client-address';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import type { FastifyRequest } from 'fastify';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { AttemptsStore, Guarded } from '../users/attempts-store.ts';
import type { Mailer } from '../users/mailer.ts';
import type { UserRow } from '../users/user.ts';
import type { Owner, Proof, ProvenBy } from './factor.ts';
import type { FactorDocument, FactorsStore } from './factors-store.ts';
import type { Passkeys } from './passkeys.ts';
import type { RecoveryCodesStore } from './recovery-codes-store.ts';
import { factorMail } from './second-factor-mail-texts.ts';
import { stepOf, type TotpSecrets } from './totp.ts';

type Deps = {
  factors: FactorsStore;
  recoveryCodes: RecoveryCodesStore;
  totpSecrets: TotpSecrets;
  passkeys: Passkeys;
  attempts: AttemptsStore;
  auditLog: AuditLogStore;
  failedSignIns: FailedAuthLimiter;
  mailer: Mailer;
  mongo: Mongo;
};

/** Uses up what was proven. False if another request has used it. */
type Use = (tx: Transaction) => Promise<boolean>;

export type ProveFactor = ReturnType<typeof createProveFactor>;

const wrong: Record<ProvenBy, readonly [path: string, message: string]> = {
  totp: ['/code', 'This code is wrong, expired or already used. Enter the code that the app shows now.'],
  passkey: ['/passkey', 'This passkey was not accepted: it is unknown, or took longer than five minutes. Try again.'],
  recovery_code: ['/recovery_code', 'This recovery code is wrong, replaced or already used.'],
};

/** Guesses are counted as those of passwords: strictly per network, and loosely for the user. */
const guardedProofs = ({ id }: Owner, address: string): readonly Guarded[] => [
  { key: `second factor ${id} ${networkOf(address)}`, allowed: 5 },
  { key: `second factor ${id}`, allowed: 50 },
];

/** Counts a guess. Throws RATE_LIMITED after too many; a right one is cleared with the returned counters. */
export async function countProof(user: Owner, { attempts, address, now }: { attempts: AttemptsStore; address: string; now: Date }) {
  const guarded = guardedProofs(user, address);
  const wait = await attempts.begin(guarded, now);
  if (wait > 0) throw new ApiError('RATE_LIMITED', 'Too many failed attempts; try again later.', { retryAfter: wait });
  return guarded;
}

/** Proves the second factor of a user whose first is proven, or who is signed in. */
export function createProveFactor(deps: Deps) {
  const { factors, recoveryCodes, totpSecrets, passkeys, attempts, auditLog, failedSignIns, mailer, mongo } = deps;

  function byCode(code: string, known: readonly FactorDocument[], now: Date): Use | undefined {
    for (const factor of known) {
      if (factor.kind !== 'totp') continue;
      const secret = totpSecrets.unseal(factor._id, factor.sealed_secret);
      const step = secret === undefined ? undefined : stepOf(code, secret, now);
      if (step !== undefined) return (tx) => factors.useStep(tx, factor, step, now);
    }
    return undefined;
  }

  async function useOf(user: UserRow, proof: Proof, now: Date): Promise<{ by: ProvenBy; use: Use | undefined }> {
    if ('recovery_code' in proof) return { by: 'recovery_code', use: (tx) => recoveryCodes.use(tx, user, proof.recovery_code) };
    const known = await factors.list(user);
    if ('code' in proof) return { by: 'totp', use: byCode(proof.code, known, now) };
    const passkey = known.find((factor) => factor.kind === 'passkey' && factor.credential_id === proof.passkey.id);
    if (passkey?.kind !== 'passkey') return { by: 'passkey', use: undefined };
    const counter = await passkeys.verify(proof.passkey, passkey, user, now);
    return { by: 'passkey', use: counter === undefined ? undefined : (tx) => factors.usePasskey(tx, passkey, counter, now) };
  }

  /** The user is told, because somebody who has found the codes can use them. */
  async function noteRecoveryCode(tx: Transaction, user: UserRow) {
    const left = await recoveryCodes.count(user, tx);
    const change = { action: 'user.recovery_code_used', target_id: user.id, details: { left } } as const;
    await auditLog.add(tx, { accountId: user.account_id, id: user.id }, change);
    const { email } = user;
    if (email !== null) tx.afterCommit(() => void mailer?.send(factorMail(email, 'recovery_code_used', String(left))));
  }

  /**
   * Does the work in the transaction that uses up the proof, so that one code never allows two things. Throws VALIDATION_ERROR if the
   * proof is wrong, and RATE_LIMITED after too many wrong ones.
   */
  return async <Result>(
    request: FastifyRequest,
    user: UserRow,
    proof: Proof,
    work: (tx: Transaction, by: ProvenBy, now: Date) => Promise<Result>,
  ): Promise<Result> => {
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    const now = new Date();
    const guarded = await countProof(user, { attempts, address, now });
    const { by, use } = await useOf(user, proof, now);
    const done =
      use &&
      (await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        if (!(await use(tx))) return undefined;
        if (by === 'recovery_code') await noteRecoveryCode(tx, user);
        return { result: await work(tx, by, now) };
      }));
    if (!done) {
      failedSignIns.count(address);
      const [path, message] = wrong[by];
      throw invalid(path, 'invalid_value', message);
    }
    await attempts.forget(guarded);
    return done.result;
  };
}
