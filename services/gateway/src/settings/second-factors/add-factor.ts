import { ApiError } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { requireActive } from '../accounts/require-active.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { Mailer } from '../users/mailer.ts';
import { requireRecentProof } from '../users/require-recent-proof.ts';
import type { SessionsStore } from '../users/sessions-store.ts';
import { type SignedIn, sessionView } from '../users/signed-in.ts';
import type { UsersStore } from '../users/users-store.ts';
import type { FactorsStore } from './factors-store.ts';
import type { RecoveryCodesStore } from './recovery-codes-store.ts';
import { factorMail } from './second-factor-mail-texts.ts';

/** More are of no use, and each is tried against a code. */
const maxFactors = 10;

export type AddFactorDeps = {
  accounts: AccountsStore;
  users: UsersStore;
  sessions: SessionsStore;
  factors: FactorsStore;
  recoveryCodes: RecoveryCodesStore;
  auditLog: AuditLogStore;
  mailer: Mailer;
  forgetHolder: (id: UserId) => void;
};

/** Adds a factor that the user has just proven, so that it also proves this session. The first brings recovery codes. */
export async function addFactor(
  tx: Transaction,
  mine: SignedIn,
  { kind, name, now, add }: { kind: 'totp' | 'passkey'; name: string; now: Date; add: () => Promise<string> },
  { accounts, users, sessions, factors, recoveryCodes, auditLog, mailer, forgetHolder }: AddFactorDeps,
) {
  const before = await users.find(mine.user.account_id, mine.user.id, tx);
  if (!before) throw new ApiError('UNAUTHORIZED', 'Sign in first.');
  // Again, because another session may have added the first one since.
  requireRecentProof({ session: mine.session, user: before }, now);
  await requireActive(accounts, before.account_id, tx);
  if ((await factors.list(before, tx)).length >= maxFactors)
    throw new ApiError('INVALID_STATE', `You can have at most ${maxFactors} second factors; remove unused ones.`);
  const id = await add();
  const user = { ...before, has_second_factor: true };
  await users.update(tx, user);
  await sessions.prove(tx, mine.session._id, kind, now);
  const change = { action: 'user.second_factor_added', target_id: user.id, details: { factor: id, kind, name } } as const;
  await auditLog.add(tx, { accountId: user.account_id, id: user.id }, change);
  const recovery_codes = before.has_second_factor ? null : await recoveryCodes.replace(tx, user, now);
  tx.afterCommit(() => {
    forgetHolder(user.id);
    if (user.email !== null) void mailer?.send(factorMail(user.email, `${kind}_added`, name));
  });
  return { id, session: sessionView({ ...mine, user, mustEnroll: false }), recovery_codes };
}
