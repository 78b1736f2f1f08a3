import { ApiError, invalid } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import { isDuplicateKey, type Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { requireActive } from '../accounts/require-active.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { SignInStepsStore } from '../second-factors/sign-in-steps-store.ts';
import { confirmEmailMail, passwordChangedMail } from './account-mail-texts.ts';
import type { AttemptsStore } from './attempts-store.ts';
import { checkPassword } from './check-password.ts';
import { type EmailChangesStore, emailChangeUrl } from './email-changes-store.ts';
import type { Mailer } from './mailer.ts';
import { hashPassword, Password } from './password.ts';
import { requireRecentProof } from './require-recent-proof.ts';
import type { SignInLinksStore } from './sign-in-links-store.ts';
import { needsPassword, type SignedIn, type SignedInDeps, sessionView, signedIn } from './signed-in.ts';
import { SignInEmail } from './user.ts';
import { weakness } from './weak-password.ts';

const Body = z.strictObject({
  new_password: Password,
  current_password: z.string().normalize('NFC').min(1).max(200).optional(),
  email: SignInEmail.optional(),
});

const taken = () => new ApiError('CONFLICT', 'Another user in this account already has this email address.');
const cannotProve = () =>
  new ApiError(
    'INVALID_STATE',
    'This installation cannot send email, so a new address cannot be proven. Ask its operator: npm run user -- move --email … --to …',
  );

type Deps = SignedInDeps & {
  accounts: AccountsStore;
  signInLinks: SignInLinksStore;
  auditLog: AuditLogStore;
  attempts: AttemptsStore;
  emailChanges: EmailChangesStore;
  signInSteps: SignInStepsStore;
  mailer: Mailer;
  mongo: Mongo;
  forgetHolder: (id: UserId) => void;
};

/**
 * Sets or changes the user's own password. Ends all other sessions of the user. The first email address is set with it; another one
 * replaces it only once the user has proven it with the link that is emailed there.
 */
export function setPasswordAndEmail(app: Server, deps: Deps) {
  const { accounts, users, sessions, signInLinks, auditLog, attempts, emailChanges, signInSteps, mailer, mongo } = deps;
  const { publicUrl, forgetHolder } = deps;

  /**
   * An open browser is not enough: requires the current password, unless the user signed in with a link just now. A user without one
   * proves who they are otherwise; only somebody who has nothing but the link of an invitation need not.
   */
  async function checkCurrent(mine: SignedIn, current: string | undefined, address: string, now: Date) {
    const { session, user } = mine;
    if (user.password === null && (session.by !== 'link' || user.has_second_factor)) requireRecentProof(mine, now);
    if (!needsPassword(mine, now)) return;
    if (current === undefined) throw invalid('/current_password', 'required', 'Send the current password too.');
    await checkPassword(mine.user, current, { attempts, address, now });
  }

  app.post('/auth/password', { schema: { hide: true, body: Body } }, async (request) => {
    const mine = await signedIn(request, deps);
    await requireActive(accounts, mine.user.account_id);
    const { new_password, current_password, email = mine.user.email } = request.body;
    if (email === null) throw invalid('/email', 'required', 'Send an email address too; you sign in with it and the password.');
    const weak = await weakness(new_password, email);
    if (weak !== undefined) throw invalid('/new_password', 'too_common', `${weak} Choose another one.`);
    const now = new Date();
    await checkCurrent(mine, current_password, addressOf(request), now);
    const isChange = mine.user.email !== null && email !== mine.user.email;
    if (isChange && !mailer) throw cannotProve();
    if (isChange && (await users.findInAccount(mine.user.account_id, email))) throw taken();
    const password = await hashPassword(new_password);
    const origin = { correlationId: request.id, causationId: null };
    const changed = await mongo
      .transaction(origin, async (tx) => {
        const user = await users.find(mine.user.account_id, mine.user.id, tx);
        if (!user) throw new ApiError('UNAUTHORIZED', 'Sign in first.');
        await requireActive(accounts, mine.user.account_id, tx);
        const after = { ...user, password, email: isChange ? user.email : email };
        await users.update(tx, after);
        await signInLinks.withdraw(tx, user);
        await emailChanges.withdraw(tx, user);
        await signInSteps.withdraw(tx, user);
        const token = isChange ? await emailChanges.begin(tx, user, email, now) : undefined;
        const ended = await sessions.closeOf(tx, user, { except: mine.session._id });
        const details = {
          ...(after.email !== user.email && { email }),
          ...(isChange && { email_to_prove: email }),
          sessions_ended: ended.length,
        };
        await auditLog.add(
          tx,
          { accountId: user.account_id, id: user.id },
          { action: 'user.password_changed', target_id: user.id, details },
        );
        tx.afterCommit(() => {
          forgetHolder(user.id);
          if (token !== undefined) void mailer?.send(confirmEmailMail(email, emailChangeUrl(publicUrl, token)));
          if (user.password !== null && user.email !== null) void mailer?.send(passwordChangedMail(user.email));
        });
        return after;
      })
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) throw taken();
        throw error;
      });
    return { success: true, data: { ...sessionView({ ...mine, user: changed }), email_to_prove: isChange ? email : null } };
  });
}
