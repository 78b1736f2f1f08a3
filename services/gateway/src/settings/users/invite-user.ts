import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { privilegesOfRole } from '../roles/role.ts';
import type { RolesStore } from '../roles/roles-store.ts';
import type { Invite } from './invitation.ts';
import { InvitedUser, InviteUserBody, invitedUser, maxUsers, userView } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Deps = {
  accounts: AccountsStore;
  roles: RolesStore;
  users: UsersStore;
  administrators: Administrators;
  invite: Invite;
  auditLog: AuditLogStore;
  transact: Transact;
};

export function inviteUser(app: Server, { accounts, roles, users, administrators, invite, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/users',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'inviteUser',
        summary: 'Invite a user',
        description:
          'The roles viewer, editor and admin have the permissions read_only, read_write and admin; custom roles have the scopes of the role. The response always contains the invitation link; it is also emailed if the platform has a mail server. The caller cannot invite a user with more permissions than its own, and a key or token that expires cannot invite users.',
        body: InviteUserBody,
        response: { 201: success(InvitedUser) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const { principal, body } = request;
          await accounts.lock(tx, principal.accountId);
          const held = await roles.held(tx, principal.accountId, body.role);
          await administrators.requirePrivileges(tx, principal, privilegesOfRole(held));
          const known = await users.findInAccount(principal.accountId, body.email, tx);
          if (known)
            throw new ApiError('CONFLICT', `A user with the email address ${body.email} already exists: ${known.id}.`, {
              details: [{ path: '/email', id: known.id }],
            });
          if ((await users.count(tx, principal.accountId)) >= maxUsers) {
            throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxUsers} users; remove unused ones.`);
          }
          const user = invitedUser(principal.accountId, { ...body, ...held });
          await users.insert(tx, user);
          const invitation_url = await invite(tx, user);
          const details = { email: user.email, role: user.role };
          await auditLog.add(tx, principal, { action: 'user.invited', target_id: user.id, details });
          return { status: 201, data: { ...userView(user), invitation_url }, location: `/v2/settings/users/${user.id}` };
        },
        { secret: true },
      ),
  );
}
