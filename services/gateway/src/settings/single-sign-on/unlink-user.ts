import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Administrators } from '../administrators.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { privilegesOfRole } from '../roles/role.ts';
import { User, userView } from '../users/user.ts';
import type { UsersStore } from '../users/users-store.ts';
import type { IdentitiesStore } from './identities-store.ts';

type Deps = {
  users: UsersStore;
  identities: IdentitiesStore;
  administrators: Administrators;
  auditLog: AuditLogStore;
  transact: Transact;
};

export function unlinkUser(app: Server, { users, identities, administrators, auditLog, transact }: Deps) {
  app.post(
    '/v2/settings/users/:id/unlink',
    {
      config: { scope: 'settings:write', stepUp: true },
      schema: {
        operationId: 'unlinkUser',
        summary: 'Unlink a user from identity providers',
        description:
          'The next identity that signs in with the email address of the user is linked: after a change of the provider, for example. The ' +
          'caller cannot unlink a user with more permissions than its own.',
        params: z.object({ id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(User) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const user = await users.find(principal.accountId, request.params.id, tx);
        if (!user) throw notFound();
        await administrators.requirePrivileges(tx, principal, privilegesOfRole(user));
        const links = await identities.unlink(tx, user);
        if (links > 0) await auditLog.add(tx, principal, { action: 'user.unlinked', target_id: user.id, details: { links } });
        return { status: 200, data: userView(user) };
      }),
  );
}
