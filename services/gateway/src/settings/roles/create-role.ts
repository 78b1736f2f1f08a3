import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { CreateRoleBody, heldOf, maxRoles, newRole, privilegesOfRole, Role, requireTightLimits, roleView } from './role.ts';
import type { RolesStore } from './roles-store.ts';

type Deps = { accounts: AccountsStore; roles: RolesStore; administrators: Administrators; auditLog: AuditLogStore; transact: Transact };

export function createRole(app: Server, { accounts, roles, administrators, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/roles',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'createRole',
        summary: 'Create a role',
        description:
          'A custom role is a name for a set of scopes, and can be given to users. `sending_limits` also bounds what they may send, schedule, resume, test, approve and activate. Its permission follows from its scopes. The caller cannot ' +
          'create a role with more than it may do itself, and a key or token that expires cannot create roles.',
        body: CreateRoleBody,
        response: { 201: success(Role) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal, body } = request;
        const role = newRole(principal.accountId, body);
        requireTightLimits(role);
        await administrators.requirePrivileges(tx, principal, privilegesOfRole(heldOf(role)));
        await accounts.lock(tx, principal.accountId);
        if ((await roles.count(tx, principal.accountId)) >= maxRoles)
          throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxRoles} roles of its own; delete unused ones.`);
        await roles.insert(tx, role);
        const details = { name: role.name, scopes: role.scopes, sending_limits: role.sending_limits };
        await auditLog.add(tx, principal, { action: 'role.created', target_id: role.id, details });
        return { status: 201, data: roleView(role), location: `/v2/settings/roles/${role.id}` };
      }),
  );
}
