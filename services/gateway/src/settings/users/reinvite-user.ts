import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { privilegesOfRole } from '../roles/role.ts';
import type { Invite } from './invitation.ts';
import type { SignInLinksStore } from './sign-in-links-store.ts';
import { InvitedUser, userView } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Deps = {
  users: UsersStore;
  administrators: Administrators;
  signInLinks: SignInLinksStore;
  invite: Invite;
  auditLog: AuditLogStore;
  transact: Transact;
};

export function reinviteUser(app: Server, { users, administrators, signInLinks, invite, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/users/:id/invite',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'inviteUserAgain',
        summary: 'Renew an invitation',
        description:
          'Returns a new invitation link; earlier ones stop working. Only for users with the status `invited`, except the owner (409).',
        params: z.object({ id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(InvitedUser) },
      },
    },
    (request, reply) =>
      transact(
        request,
        reply,
        async (tx) => {
          const { principal } = request;
          const user = await users.find(principal.accountId, request.params.id, tx);
          if (!user) throw notFound();
          // A link is as good as a password, so none is issued for a user who is already active.
          if (user.role === 'owner')
            throw new ApiError('INVALID_STATE', 'The owner cannot be invited; the operator can create a sign-in link.');
          if (userView(user).status !== 'invited') {
            const way = `${user.name} can reset a forgotten password on the sign-in page.`;
            throw new ApiError('INVALID_STATE', `Only users with the status invited can be invited again. ${way}`);
          }
          await administrators.requirePrivileges(tx, principal, privilegesOfRole(user));
          await signInLinks.withdraw(tx, user);
          const invitation_url = await invite(tx, user);
          await auditLog.add(tx, principal, {
            action: 'user.invited',
            target_id: user.id,
            details: { email: user.email, role: user.role },
          });
          return { status: 200, data: { ...userView(user), invitation_url } };
        },
        { secret: true },
      ),
  );
}
