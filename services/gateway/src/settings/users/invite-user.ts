import { success } from '@mp/contracts/envelope';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import type { Transaction } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { SettingsParts } from '../parts.ts';
import { invitationMail } from './mails.ts';
import { signInUrl } from './sign-in-links-store.ts';
import { InvitedUser, InviteUserBody, invitedUser, permissionOf, type Role, type UserRow, userView } from './user.ts';

const maxUsers = 200;

/** The privileges of a role. */
export const privilegesOf = (role: Role) => ({ permission: permissionOf(role), scopes: null, ip_allow: [], expires_at: null });

/** Creates an invitation link for a user without a password, and emails it if a mail server is configured. */
async function invite({ accounts, signInLinks, mailer, publicUrl }: SettingsParts, tx: Transaction, user: UserRow): Promise<string> {
  const url = signInUrl(publicUrl, await signInLinks.make(user, { kind: 'invitation', tx }));
  const account = await accounts.find(user.account_id);
  const { email } = user;
  if (account && email !== null) tx.afterCommit(() => void mailer?.send(invitationMail(email, account.display_name ?? account.name, url)));
  return url;
}

export function inviteUser(app: Server, parts: SettingsParts) {
  const { accounts, users, administrators, auditLog, transact } = parts;
  app.post(
    '/v2/settings/users',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'inviteUser',
        summary: 'Invite a user',
        description:
          'The roles viewer, editor and admin have the permissions read_only, read_write and admin. The response always contains the invitation link; it is also emailed if the platform has a mail server. The caller cannot invite a user with more permissions than its own, and a key or token that expires cannot invite users.',
        querystring: noQuery,
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
          await administrators.requirePrivileges(tx, principal, privilegesOf(body.role));
          const known = await users.findInAccount(principal.accountId, body.email, tx);
          if (known)
            throw new ApiError('CONFLICT', `A user with the email address ${body.email} already exists: ${known.id}.`, {
              details: [{ path: '/email', id: known.id }],
            });
          await accounts.queue(tx, principal.accountId);
          if ((await users.count(tx, principal.accountId)) >= maxUsers) {
            throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxUsers} users; remove unused ones.`);
          }
          const user = invitedUser(principal.accountId, body);
          await users.insert(tx, user);
          const invitation_url = await invite(parts, tx, user);
          const details = { email: user.email, role: user.role };
          await auditLog.add(tx, principal, { action: 'user.invited', target_id: user.id, details });
          return { status: 201, data: { ...userView(user), invitation_url }, location: `/v2/settings/users/${user.id}` };
        },
        { secret: true },
      ),
  );
}

export function inviteUserAgain(app: Server, parts: SettingsParts) {
  const { users, administrators, signInLinks, auditLog, transact } = parts;
  app.post(
    '/v2/settings/users/:id/invite',
    {
      config: { scope: 'settings:write' },
      schema: {
        operationId: 'inviteUserAgain',
        summary: 'Renew an invitation',
        description: 'Returns a new invitation link; earlier ones stop working. Not possible once the user has signed in (409).',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
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
          if (userView(user).status !== 'invited' || user.role === 'owner') {
            throw new ApiError(
              'INVALID_STATE',
              `${user.name} has already signed in; a forgotten password can be reset on the sign-in page.`,
            );
          }
          await administrators.requirePrivileges(tx, principal, privilegesOf(user.role));
          await signInLinks.withdraw(tx, user);
          const invitation_url = await invite(parts, tx, user);
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
