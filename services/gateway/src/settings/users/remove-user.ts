import type { Transaction } from '@mp/service-kit/mongo';
import type { Stores } from '../stores.ts';
import { removeAllFactors } from './remove-all-factors.ts';
import type { UserRow } from './user.ts';

export type RemoveUserDeps = Pick<
  Stores,
  | 'users'
  | 'sessions'
  | 'signInLinks'
  | 'emailChanges'
  | 'knownBrowsers'
  | 'factors'
  | 'recoveryCodes'
  | 'signInSteps'
  | 'identities'
  | 'codes'
  | 'grants'
  | 'reportEmails'
  | 'reportMails'
  | 'notices'
>;

/** Removes a user with everything that only the user has. What the user has created belongs to the account and stays. */
export async function removeUser(tx: Transaction, user: UserRow, deps: RemoveUserDeps) {
  const { users, sessions, signInLinks, emailChanges, knownBrowsers, identities, codes, grants, reportEmails, reportMails, notices } = deps;
  await sessions.closeOf(tx, user, { except: undefined });
  await signInLinks.withdraw(tx, user);
  await emailChanges.withdraw(tx, user);
  await knownBrowsers.forget(tx, user);
  await removeAllFactors(tx, user, deps);
  await identities.unlink(tx, user);
  await codes.withdraw(tx, user);
  await grants.revokeOf(tx, user);
  await reportEmails.removeUser(tx, user.account_id, user.id);
  await reportMails.withdraw(tx, user.account_id, { user_id: user.id });
  await notices.forget(tx, user);
  await users.delete(tx, user);
}
