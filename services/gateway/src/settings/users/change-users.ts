import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { SettingsParts } from '../parts.ts';
import { rejectReadOnlyChanges } from '../reject-read-only-fields.ts';
import { privilegesOf } from './invite-user.ts';
import { readOnlyFields, UpdateUserBody, User, userView } from './user.ts';

const params = z.object({ id: z.string() });
const ownerStays = (what: string) => new ApiError('INVALID_STATE', `The owner ${what}, because the account needs an administrator.`);

export function updateUser(app: Server, { users, administrators, auditLog, transact, forgetHolder }: SettingsParts) {
  app.put(
    '/v2/settings/users/:id',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'updateUser',
        summary: "Update a user's name or role",
        description: 'A new role takes effect immediately in all open sessions. The role of the owner cannot be changed.',
        params,
        querystring: noQuery,
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
        const user = { ...before, name, role };
        if (role !== before.role) {
          if (before.role === 'owner') throw ownerStays('keeps that role');
          if (role === 'owner') throw new ApiError('INVALID_STATE', 'An account has exactly one owner.');
          await administrators.requirePrivileges(tx, principal, privilegesOf(role), privilegesOf(before.role));
        }
        await users.update(tx, user);
        const details = { before: { name: before.name, role: before.role }, after: { name, role } };
        await auditLog.add(tx, principal, { action: 'user.changed', target_id: user.id, details });
        tx.afterCommit(() => forgetHolder(user.id));
        return { status: 200, data: userView(user) };
      }),
  );
}

export function deleteUser(app: Server, { users, sessions, signInLinks, auditLog, transact, forgetHolder }: SettingsParts) {
  app.delete(
    '/v2/settings/users/:id',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'deleteUser',
        summary: 'Remove a user',
        description:
          'Ends their sessions and sign-in links immediately. API keys they created keep working. The owner cannot be removed (409).',
        params,
        querystring: noQuery,
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const user = await users.find(principal.accountId, request.params.id, tx);
        if (!user) throw notFound();
        if (user.role === 'owner') throw ownerStays('cannot be removed');
        await sessions.closeOf(tx, user, { except: undefined });
        await signInLinks.withdraw(tx, user);
        await users.delete(tx, user);
        const details = { email: user.email, role: user.role };
        await auditLog.add(tx, principal, { action: 'user.removed', target_id: user.id, details });
        tx.afterCommit(() => forgetHolder(user.id));
        return { status: 200, data: { id: user.id, deleted: true as const } };
      }),
  );
}
