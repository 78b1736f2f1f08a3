import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { FactorsStore } from '../second-factors/factors-store.ts';
import type { RecoveryCodesStore } from '../second-factors/recovery-codes-store.ts';
import { removeAllFactors } from '../second-factors/remove-all-factors.ts';
import type { SignInStepsStore } from '../second-factors/sign-in-steps-store.ts';
import type { IdentitiesStore } from '../single-sign-on/identities-store.ts';
import type { EmailChangesStore } from './email-changes-store.ts';
import type { KnownBrowsersStore } from './known-browsers-store.ts';
import type { SessionsStore } from './sessions-store.ts';
import type { SignInLinksStore } from './sign-in-links-store.ts';
import type { UsersStore } from './users-store.ts';

type Deps = {
  users: UsersStore;
  sessions: SessionsStore;
  signInLinks: SignInLinksStore;
  emailChanges: EmailChangesStore;
  knownBrowsers: KnownBrowsersStore;
  factors: FactorsStore;
  recoveryCodes: RecoveryCodesStore;
  signInSteps: SignInStepsStore;
  identities: IdentitiesStore;
  auditLog: AuditLogStore;
  transact: Transact;
  forgetHolder: (id: UserId) => void;
};

export function deleteUser(app: Server, deps: Deps) {
  const { users, sessions, signInLinks, emailChanges, knownBrowsers, identities, auditLog, transact, forgetHolder } = deps;
  app.delete(
    '/v2/settings/users/:id',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'deleteUser',
        summary: 'Remove a user',
        description:
          'Ends their sessions and sign-in links immediately. API keys they created keep working. The owner cannot be removed (409).',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const user = await users.find(principal.accountId, request.params.id, tx);
        if (!user) throw notFound();
        if (user.role === 'owner')
          throw new ApiError('INVALID_STATE', 'The owner cannot be removed, because the account needs an administrator.');
        await sessions.closeOf(tx, user, { except: undefined });
        await signInLinks.withdraw(tx, user);
        await emailChanges.withdraw(tx, user);
        await knownBrowsers.forget(tx, user);
        await removeAllFactors(tx, user, deps);
        await identities.unlink(tx, user);
        await users.delete(tx, user);
        const details = { email: user.email, role: user.role };
        await auditLog.add(tx, principal, { action: 'user.removed', target_id: user.id, details });
        tx.afterCommit(() => forgetHolder(user.id));
        return { status: 200, data: { id: user.id, deleted: true as const } };
      }),
  );
}
