import { ApiError } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import { isDuplicateKey, type Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { requireActive } from '../accounts/require-active.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { emailChangedMail } from './account-mail-texts.ts';
import type { EmailChangesStore } from './email-changes-store.ts';
import type { Mailer } from './mailer.ts';
import type { SignInLinksStore } from './sign-in-links-store.ts';
import type { UsersStore } from './users-store.ts';

type Deps = {
  accounts: AccountsStore;
  users: UsersStore;
  emailChanges: EmailChangesStore;
  signInLinks: SignInLinksStore;
  auditLog: AuditLogStore;
  failedSignIns: FailedAuthLimiter;
  mongo: Mongo;
  mailer: Mailer;
  forgetHolder: (id: UserId) => void;
};

const wrongToken = () =>
  new ApiError('UNAUTHORIZED', 'This link is not valid: unknown, already used or expired. Change the address again.');

/** Proves a new sign-in address with the token that was emailed to it. The old address is told. */
export function confirmEmail(app: Server, deps: Deps) {
  const { accounts, users, emailChanges, signInLinks, auditLog, failedSignIns, mongo, mailer, forgetHolder } = deps;

  app.post('/auth/email', { schema: { hide: true, body: z.strictObject({ token: z.string().min(1).max(200) }) } }, async (request) => {
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    const { token } = request.body;
    const email = await mongo
      .transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        const change = await emailChanges.use(tx, token, new Date());
        const user = change && (await users.find(change.account_id, change.user_id, tx));
        if (!user) return undefined;
        await requireActive(accounts, user.account_id, tx);
        await users.update(tx, { ...user, email: change.email });
        await signInLinks.withdraw(tx, user);
        const details = { before: user.email, after: change.email };
        await auditLog.add(tx, { accountId: user.account_id, id: user.id }, { action: 'user.email_changed', target_id: user.id, details });
        tx.afterCommit(() => {
          forgetHolder(user.id);
          if (user.email !== null) void mailer?.send(emailChangedMail(user.email, change.email));
        });
        return change.email;
      })
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) throw new ApiError('CONFLICT', 'Another user in this account already has this email address.');
        throw error;
      });
    if (email === undefined) {
      failedSignIns.count(address);
      throw wrongToken();
    }
    return { success: true, data: { email } };
  });
}
