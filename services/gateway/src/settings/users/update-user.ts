import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { privilegesOfRole } from '../roles/role.ts';
import type { RolesStore } from '../roles/roles-store.ts';
import type { SessionsStore } from './sessions-store.ts';
import { readOnlyFields, UpdateUserBody, User, type UserRow, userView } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Deps = {
  accounts: AccountsStore;
  roles: RolesStore;
  users: UsersStore;
  sessions: SessionsStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  transact: Transact;
  forgetHolder: (id: UserId) => void;
};

export function updateUser(app: Server, { accounts, roles, users, sessions, administrators, auditLog, transact, forgetHolder }: Deps) {
  app.put(
    '/v2/settings/users/:id',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'updateUser',
        summary: "Update a user's name or role",
        description: 'A new role ends all sessions of the user immediately. The role of the owner cannot be changed.',
        params: z.object({ id: z.string() }),
        body: UpdateUserBody,
        response: { 200: success(User) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal, body } = request;
        const before = await users.find(principal.accountId, request.params.id, tx);
        if (!before) throw notFound();
        rejectReadOnlyChanges(body, userView(before), readOnlyFields);
        const { name = before.name, role = before.role } = body;
        const user: UserRow = { ...before, name };
        if (role !== before.role) {
          if (before.role === 'owner')
            throw new ApiError('INVALID_STATE', 'The owner keeps that role, because the account needs an administrator.');
          if (role === 'owner') throw new ApiError('INVALID_STATE', 'An account has exactly one owner.');
          await accounts.lock(tx, principal.accountId);
          Object.assign(user, await roles.held(tx, principal.accountId, role));
          await administrators.requirePrivileges(tx, principal, privilegesOfRole(user), privilegesOfRole(before));
          await sessions.closeOf(tx, user, { except: undefined });
        }
        await users.update(tx, user);
        const details = { before: { name: before.name, role: before.role }, after: { name, role } };
        await auditLog.add(tx, principal, { action: 'user.changed', target_id: user.id, details });
        tx.afterCommit(() => forgetHolder(user.id));
        return { status: 200, data: userView(user) };
      }),
  );
}
