import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { UsersStore } from '../users/users-store.ts';
import type { RolesStore } from './roles-store.ts';

type Deps = { accounts: AccountsStore; roles: RolesStore; users: UsersStore; auditLog: AuditLogStore; transact: Transact };

export function deleteRole(app: Server, { accounts, roles, users, auditLog, transact }: Deps) {
  app.delete(
    '/v2/settings/roles/:id',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'deleteRole',
        summary: 'Delete a role',
        description: 'Fails with 409 while a user has the role. Built-in roles cannot be deleted (409).',
        params: z.object({ id: z.string() }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        // Users get roles under the same lock, so none gets this one meanwhile.
        await accounts.lock(tx, principal.accountId);
        const role = await roles.getCustom(tx, principal.accountId, request.params.id);
        const holders = await users.withRole(tx, principal.accountId, role.id);
        if (holders.length > 0)
          throw new ApiError(
            'CONFLICT',
            `${holders.length} ${holders.length === 1 ? 'user has' : 'users have'} this role; give them another one first.`,
            {
              details: holders.slice(0, 10).map(({ id }) => ({ path: '/id', id })),
            },
          );
        await roles.delete(tx, role);
        const details = { name: role.name, scopes: role.scopes };
        await auditLog.add(tx, principal, { action: 'role.removed', target_id: role.id, details });
        return { status: 200, data: { id: role.id, deleted: true as const } };
      }),
  );
}
