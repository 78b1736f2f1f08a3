import { ApiError } from '@mp/contracts/errors';
import { addressOf, networkOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import { mustUseSingleSignOn } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { forgottenMail } from './account-mail-texts.ts';
import type { AttemptsStore } from './attempts-store.ts';
import type { Mailer } from './mailer.ts';
import { type SignInLinksStore, signInUrl } from './sign-in-links-store.ts';
import { SignInEmail } from './user.ts';
import type { UsersStore } from './users-store.ts';

type Deps = {
  accounts: AccountsStore;
  users: UsersStore;
  signInLinks: SignInLinksStore;
  attempts: AttemptsStore;
  failedSignIns: FailedAuthLimiter;
  mailer: Mailer;
  publicUrl: string;
};

/**
 * Emails a link that signs the user in once, within an hour, to set a new password. The response does not reveal whether
 * the address is known: it is the same and equally fast, because the work is done afterwards.
 */
export function forgottenPassword(app: Server, { accounts, users, signInLinks, attempts, failedSignIns, mailer, publicUrl }: Deps) {
  async function mailLinks(email: string) {
    for (const user of await users.findByEmail(email)) {
      const account = await accounts.find(user.account_id);
      // A suspended account cannot change passwords.
      if (account?.status === 'suspended' || mustUseSingleSignOn(account, user)) continue;
      const url = signInUrl(publicUrl, await signInLinks.make(user, { kind: 'forgotten' }));
      await mailer?.send(forgottenMail(email, url));
    }
  }

  app.post('/auth/forgotten-password', { schema: { hide: true, body: z.strictObject({ email: SignInEmail }) } }, async (request, reply) => {
    const { email } = request.body;
    if (!mailer) {
      throw new ApiError(
        'INVALID_STATE',
        'This installation cannot send email. Ask its operator for a link: npm run user -- reset --email …',
      );
    }
    const address = addressOf(request);
    refuseIfBlocked(address, failedSignIns);
    const guarded = [
      { key: `forgotten ${email}`, allowed: 3 },
      { key: `forgotten ${networkOf(address)}`, allowed: 30 },
    ];
    const wait = await attempts.begin(guarded, new Date());
    if (wait > 0) {
      failedSignIns.count(address);
      throw new ApiError('RATE_LIMITED', 'Too many reset requests. Check your inbox, or try again later.', { retryAfter: wait });
    }
    mailLinks(email).catch((err: unknown) => request.log.error({ err }, 'could not create a password reset link'));
    return reply.code(202).send({ success: true, data: { accepted: true } });
  });
}
