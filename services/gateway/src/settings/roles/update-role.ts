import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import type { UserId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { SessionsStore } from '../users/sessions-store.ts';
import type { UsersStore } from '../users/users-store.ts';
import {
  effectiveLimits,
  heldOf,
  isWeaker,
  privilegesOfRole,
  Role,
  type RoleRow,
  readOnlyFields,
  requireTightLimits,
  roleView,
  UpdateRoleBody,
} from './role.ts';
import type { RolesStore } from './roles-store.ts';

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

export function updateRole(app: Server, deps: Deps) {
  const { accounts, roles, users, sessions, administrators, auditLog, transact, forgetHolder } = deps;
  app.put(
    '/v2/settings/roles/:id',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'updateRole',
        summary: 'Update a role',
        description:
          'Omitted fields keep their value. New scopes and limits apply to all users with the role immediately; if the role may do less, the sessions ' +
          'of these users end. Scopes can be changed only to scopes that the caller has. Built-in roles cannot be changed (409).',
        params: z.object({ id: z.string() }),
        body: UpdateRoleBody,
        response: { 200: success(Role) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal, body } = request;
        await accounts.lock(tx, principal.accountId);
        const before = await roles.getCustom(tx, principal.accountId, request.params.id);
        rejectReadOnlyChanges(body, roleView(before), readOnlyFields);
        const { name = before.name, description = before.description, scopes = before.scopes } = body;
        const sending_limits = body.sending_limits === undefined ? before.sending_limits : effectiveLimits(body.sending_limits);
        const role: RoleRow = { ...before, name, description, scopes: [...new Set(scopes)], sending_limits, updated_at: new Date() };
        requireTightLimits(role);
        const allowed = (one: RoleRow) => [one.scopes.toSorted(), one.sending_limits];
        if (!isDeepStrictEqual(allowed(role), allowed(before))) {
          await administrators.requirePrivileges(tx, principal, privilegesOfRole(heldOf(role)), privilegesOfRole(heldOf(before)));
          const isLess = isWeaker(heldOf(role), heldOf(before));
          for (const user of await users.withRole(tx, principal.accountId, role.id)) {
            await users.update(tx, { ...user, ...heldOf(role) });
            if (isLess) await sessions.closeOf(tx, user, { except: undefined });
            tx.afterCommit(() => forgetHolder(user.id));
          }
        }
        await roles.update(tx, role);
        const details = { before: settingsOf(before), after: settingsOf(role) };
        await auditLog.add(tx, principal, { action: 'role.changed', target_id: role.id, details });
        return { status: 200, data: roleView(role) };
      }),
  );
}

const settingsOf = ({ name, description, scopes, sending_limits }: RoleRow) => ({ name, description, scopes, sending_limits });
