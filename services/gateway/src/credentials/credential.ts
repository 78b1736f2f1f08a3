import type { Permission, Scope } from '@mp/contracts/permissions';
import type { AccountStatus } from '../accounts/account.ts';
import type { DecidingAccount } from '../accounts/accounts-store.ts';
import { type Limits, limitsOf, type Plan } from '../accounts/plans.ts';
import { addressSet } from '../env.ts';

/** What of an account decides about its requests. */
export type CredentialAccount = { id: string; plan: Plan; status: AccountStatus; limits: Limits };

/** A verified caller, whatever it showed: an API key, an access token, or the session of a person in the dashboard. */
export type Credential = {
  kind: 'key' | 'token' | 'session';
  /** The id of the key, of the OAuth client, or of the user. */
  id: string;
  hash: string;
  permission: Permission;
  scopes: readonly Scope[] | null;
  expiresAt: number | null;
  /** Whether it may be used from this address. */
  allowsAddress: (address: string) => boolean;
  account: CredentialAccount;
};

type Shown = Pick<Credential, 'kind' | 'id' | 'hash' | 'permission' | 'scopes'> & {
  expires_at: Date | null;
  ip_allow: readonly string[];
};

export const accountOf = ({ id, plan, status, ...figures }: DecidingAccount): CredentialAccount => ({
  ...{ id, plan, status },
  limits: limitsOf({ plan, ...figures }),
});

const anyAddress = () => true;

export function credentialOf(shown: Shown, account: CredentialAccount): Credential {
  const { expires_at, ip_allow, ...rest } = shown;
  return {
    ...rest,
    expiresAt: expires_at?.getTime() ?? null,
    allowsAddress: ip_allow.length === 0 ? anyAddress : addressSet(ip_allow),
    account,
  };
}
