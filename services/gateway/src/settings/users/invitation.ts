import type { Transaction } from '@mp/service-kit/mongo';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { invitationMail } from './account-mail-texts.ts';
import type { Mailer } from './mailer.ts';
import { type SignInLinksStore, signInUrl } from './sign-in-links-store.ts';
import type { UserRow } from './user.ts';

type Deps = { accounts: AccountsStore; signInLinks: SignInLinksStore; mailer: Mailer; publicUrl: string };

export type Invite = ReturnType<typeof createInvite>;

/** Creates an invitation link for a user without a password, and emails it if a mail server is configured. */
export const createInvite =
  ({ accounts, signInLinks, mailer, publicUrl }: Deps) =>
  async (tx: Transaction, user: UserRow): Promise<string> => {
    const url = signInUrl(publicUrl, await signInLinks.make(user, { kind: 'invitation', tx }));
    const account = await accounts.find(user.account_id);
    const { email } = user;
    if (account && email !== null)
      tx.afterCommit(() => void mailer?.send(invitationMail(email, account.display_name ?? account.name, url)));
    return url;
  };
