import { ApiError } from '@mp/contracts/errors';
import type { Transaction } from '@mp/service-kit/mongo';
import type { FastifyRequest } from 'fastify';
import { mustUseSingleSignOn } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { KnownBrowsersStore } from './known-browsers-store.ts';
import type { Mailer } from './mailer.ts';
import { newSignInMail } from './mails.ts';
import type { SessionDocument, SessionsStore } from './sessions-store.ts';
import { addressOf, type SignedIn } from './signed-in.ts';
import type { UserRow } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Deps = {
  accounts: AccountsStore;
  users: UsersStore;
  sessions: SessionsStore;
  auditLog: AuditLogStore;
  knownBrowsers: KnownBrowsersStore;
  mailer: Mailer;
};

type Proven = { user: UserRow; by: SessionDocument['by']; now: Date; details?: Record<string, unknown> };

export type OpenSession = ReturnType<typeof createOpenSession>;

/** A page offers single sign-on instead. Only whoever has the password or the link learns this. */
const singleSignOnRequired = () =>
  new ApiError('FORBIDDEN', 'This account requires single sign-on. Continue with your identity provider.', {
    details: [{ code: 'single_sign_on_required' }],
  });

/** The end of every way to sign in. */
export function createOpenSession({ accounts, users, sessions, auditLog, knownBrowsers, mailer }: Deps) {
  /** Opens a session for a user whose identity is proven, records it, and tells the user of a browser that is new. */
  async function open(tx: Transaction, request: FastifyRequest, { user, by, now, details }: Proven): Promise<SignedIn> {
    if (by !== 'single_sign_on' && mustUseSingleSignOn(await accounts.find(user.account_id, tx), user)) throw singleSignOnRequired();
    const shown = { by, address: addressOf(request), user_agent: request.headers['user-agent'] ?? '' };
    const opened = await sessions.open(tx, user, shown, now);
    const isKnown = await knownBrowsers.remember(tx, user, shown, now);
    const { email } = user;
    if (!isKnown && user.last_signed_in_at && email !== null)
      tx.afterCommit(() => void mailer?.send(newSignInMail(email, { at: now, ...shown })));
    await users.signedIn(tx, user, now);
    await auditLog.add(
      tx,
      { accountId: user.account_id, id: user.id },
      { action: 'user.signed_in', target_id: user.id, details: { by, address: shown.address, ...details } },
    );
    return { ...opened, user };
  }

  return { open };
}
