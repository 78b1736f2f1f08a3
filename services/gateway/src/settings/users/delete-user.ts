import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { type RemoveUserDeps, removeUser } from './remove-user.ts';

type Deps = RemoveUserDeps & {
  auditLog: AuditLogStore;
  transact: Transact;
  forgetHolder: (id: UserId) => void;
};

export function deleteUser(app: Server, deps: Deps) {
  const { users, auditLog, transact, forgetHolder } = deps;
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
        await removeUser(tx, user, deps);
        const details = { email: user.email, role: user.role };
        await auditLog.add(tx, principal, { action: 'user.removed', target_id: user.id, details });
        tx.afterCommit(() => forgetHolder(user.id));
        return { status: 200, data: { id: user.id, deleted: true as const } };
      }),
  );
}
