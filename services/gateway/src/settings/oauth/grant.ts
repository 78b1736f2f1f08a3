import type { Scope } from '@mp/contracts/permissions';
import type { AccountId, GrantId, OauthClientId, UserId } from '@mp/ids';
import { privilegesOfRole } from '../roles/role.ts';
import type { UserRow } from '../users/user.ts';
import { type OauthClientRow, scopesOf } from './oauth-client.ts';

/** What a user allowed an application to do in the user's account. */
export type GrantRow = {
  id: GrantId;
  account_id: AccountId;
  user_id: UserId;
  /** The application. It may belong to another account. */
  client_id: OauthClientId;
  scopes: Scope[];
  scopes_version: number;
  created_at: Date;
  /** When the application last got an access token. */
  last_used_at: Date;
  expires_at: Date;
};

/** How long an application may go without a new access token before the grant ends. */
export const grantLifetimeMs = 90 * 24 * 60 * 60 * 1_000;

/** The maximum of grants of a user. */
export const maxGrants = 100;

/** The scopes that users can give to an application. Never settings: it could create credentials that outlive the grant. */
export const scopesOfApplication = (client: OauthClientRow): Scope[] => scopesOf(client).filter((scope) => !scope.startsWith('settings:'));

/** The scopes that both the application and the user may use now, of those wanted. */
export function sharedScopes(wanted: readonly Scope[], client: OauthClientRow, user: UserRow): Scope[] {
  const [ofApplication, ofUser] = [scopesOfApplication(client), scopesOf(privilegesOfRole(user))];
  return wanted.filter((scope) => ofApplication.includes(scope) && ofUser.includes(scope));
}
