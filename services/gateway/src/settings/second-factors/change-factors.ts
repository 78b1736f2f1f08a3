import { ApiError, notFound } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { requiresSecondFactor } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { requireActive } from '../accounts/require-active.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { Mailer } from '../users/mailer.ts';
import { requireRecentProof } from '../users/require-recent-proof.ts';
import { type SignedInDeps, sessionView, signedIn } from '../users/signed-in.ts';
import { FactorName } from './factor.ts';
import type { FactorsStore } from './factors-store.ts';
import { factorView } from './list-factors.ts';
import type { RecoveryCodesStore } from './recovery-codes-store.ts';
import { factorMail } from './second-factor-mail-texts.ts';

type Deps = SignedInDeps & {
  accounts: AccountsStore;
  factors: FactorsStore;
  recoveryCodes: RecoveryCodesStore;
  auditLog: AuditLogStore;
  mailer: Mailer;
  mongo: Mongo;
  forgetHolder: (id: UserId) => void;
};

const Id = z.string().max(60);

/** Renames and removes the second factors of the signed-in user, and replaces the recovery codes. */
export function changeFactors(app: Server, deps: Deps) {
  const { accounts, users, sessions, factors, recoveryCodes, auditLog, mailer, mongo, forgetHolder } = deps;

  const Renaming = z.strictObject({ id: Id, name: FactorName });
  app.post('/auth/second-factors/rename', { schema: { hide: true, body: Renaming } }, async (request) => {
    const { user } = await signedIn(request, deps);
    const { id, name } = request.body;
    return mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      await requireActive(accounts, user.account_id, tx);
      const before = await factors.rename(tx, user, id, name);
      if (!before) throw notFound();
      const details = { factor: id, before: before.name, after: name };
      const change = { action: 'user.second_factor_renamed', target_id: user.id, details } as const;
      await auditLog.add(tx, { accountId: user.account_id, id: user.id }, change);
      return { success: true, data: factorView({ ...before, name }) };
    });
  });

  app.post('/auth/second-factors/remove', { schema: { hide: true, body: z.strictObject({ id: Id }) } }, async (request) => {
    const mine = await signedIn(request, deps);
    requireRecentProof(mine, new Date());
    const session = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      const user = await users.find(mine.user.account_id, mine.user.id, tx);
      const removed = user && (await factors.remove(tx, user, request.body.id));
      if (!removed) throw notFound();
      const account = await accounts.find(user.account_id, tx);
      await requireActive(accounts, user.account_id, tx);
      const has_second_factor = (await factors.list(user, tx)).length > 0;
      if (!has_second_factor && account && requiresSecondFactor(account, user))
        throw new ApiError('INVALID_STATE', 'This account requires a second factor. Add another one before you remove the last.');
      if (!has_second_factor) await recoveryCodes.removeAll(tx, user);
      // Written even if it stays the same, so that of two that are removed at once, the second sees the first.
      await users.update(tx, { ...user, has_second_factor });
      const ended = await sessions.closeOf(tx, user, { except: mine.session._id });
      const { _id, kind, name } = removed;
      const details = { factor: _id, kind, name, sessions_ended: ended.length };
      const change = { action: 'user.second_factor_removed', target_id: user.id, details } as const;
      await auditLog.add(tx, { accountId: user.account_id, id: user.id }, change);
      tx.afterCommit(() => {
        forgetHolder(user.id);
        if (user.email !== null) void mailer?.send(factorMail(user.email, 'removed', name));
      });
      return sessionView({ ...mine, user: { ...user, has_second_factor } });
    });
    return { success: true, data: session };
  });

  app.post('/auth/second-factors/recovery-codes', { schema: { hide: true, body: z.strictObject({}) } }, async (request) => {
    const mine = await signedIn(request, deps);
    const now = new Date();
    requireRecentProof(mine, now);
    const recovery_codes = await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
      const user = await users.find(mine.user.account_id, mine.user.id, tx);
      if (!user?.has_second_factor) throw new ApiError('INVALID_STATE', 'Recovery codes stand in for a second factor. Add one first.');
      await requireActive(accounts, user.account_id, tx);
      const codes = await recoveryCodes.replace(tx, user, now);
      const change = { action: 'user.recovery_codes_replaced', target_id: user.id } as const;
      await auditLog.add(tx, { accountId: user.account_id, id: user.id }, change);
      const { email } = user;
      if (email !== null) tx.afterCommit(() => void mailer?.send(factorMail(email, 'recovery_codes_replaced')));
      return codes;
    });
    return { success: true, data: { recovery_codes } };
  });
}
