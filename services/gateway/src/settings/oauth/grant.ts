import { Permission, permissionOfScopes, requiresAdmin, type Scope } from '@mp/contracts/permissions';
import type { AccountId, GrantId, OauthClientId, UserId } from '@mp/ids';
import { type AccountRow, mustUseSingleSignOn, requiresSecondFactor } from '../accounts/account.ts';
import { privilegesOfRole } from '../roles/role.ts';
import type { ProvenBy } from '../second-factors/factor.ts';
import type { FirstFactor } from '../users/sessions-store.ts';
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
  /** How the user had signed in to allow it. */
  by: FirstFactor;
  second_factor: ProvenBy | null;
  created_at: Date;
  /** When the application last got an access token. */
  last_used_at: Date;
  expires_at: Date;
};

/** How long an application may go without a new access token before the grant ends. */
export const grantLifetimeMs = 90 * 24 * 60 * 60 * 1_000;

/** The maximum of grants of a user. */
export const maxGrants = 100;

export const tooManyGrants = `A user can connect at most ${maxGrants} applications; disconnect one first.`;

/**
 * The scopes that users can give to an application. Never what takes the permission Admin: with it, an application could create
 * credentials, or send the data of the account elsewhere, beyond the end of the grant.
 */
export const scopesOfApplication = (client: OauthClientRow): Scope[] => scopesOf(client).filter((scope) => !requiresAdmin(scope));

/** The scopes that both the application and the user may use now, of those wanted. */
export function sharedScopes(wanted: readonly Scope[], client: OauthClientRow, user: UserRow): Scope[] {
  const [ofApplication, ofUser] = [scopesOfApplication(client), scopesOf(privilegesOfRole(user))];
  return wanted.filter((scope) => ofApplication.includes(scope) && ofUser.includes(scope));
}

/** The permission of a token with these scopes: no stronger than the application and the user, who may only read with some scopes. */
export function sharedPermission(scopes: readonly Scope[], client: OauthClientRow, user: UserRow): Permission {
  const all = [permissionOfScopes(scopes), client.permission, privilegesOfRole(user).permission];
  return Permission.options.find((permission) => all.includes(permission)) ?? 'read_only';
}

/** Whether the user manages the applications of all users, as those manage keys who may. */
export const managesGrants = (user: UserRow) => scopesOf(privilegesOfRole(user)).includes('settings:keys');

/**
 * Whether the account accepts how the user had signed in to allow the application. A requirement that came later also holds for grants,
 * and applies and ends at once. Signing in again does not help: whoever had only the password may have connected the application.
 */
export const isAccepted = (
  { by, second_factor }: Pick<GrantRow, 'by' | 'second_factor'>,
  account: Pick<AccountRow, 'single_sign_on' | 'second_factor'>,
  user: UserRow,
) => by === 'single_sign_on' || (!mustUseSingleSignOn(account, user) && (second_factor !== null || !requiresSecondFactor(account, user)));
