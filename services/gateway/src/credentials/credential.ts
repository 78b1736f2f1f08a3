import type { Permission, Scope } from '@mp/contracts/permissions';
import type { Plan } from '@mp/contracts/plan';
import type { SendingLimits } from '@mp/contracts/sending-limits';
import type { AccountId, PrincipalId } from '@mp/ids';
import type { Limits } from '../quotas/plans.ts';
import { addressSet } from './ip-allow.ts';

/** The fields of an account that its requests depend on. */
export type DecidingAccount = { id: AccountId; plan: Plan; status: 'active' | 'suspended'; limits: Limits };

/** A verified caller: an API key, an access token, or a dashboard session. */
export type Credential = {
  kind: 'key' | 'token' | 'session';
  /** The id of the key, of the OAuth client, or of the user. */
  id: PrincipalId;
  /** The user who created the key or the client secret, or granted the token; a key or client if unknown; null for a session. */
  created_by?: PrincipalId | null;
  hash: string;
  permission: Permission;
  scopes: readonly Scope[] | null;
  /** What the role of the user may send. Absent: everything. */
  sendingLimits?: SendingLimits | null;
  expiresAt: number | null;
  /** Whether it may be used from this address. */
  allowsAddress: (address: string) => boolean;
  /** Whether it is the token of an application that a user has connected. */
  ofGrant?: true;
  /** Only of a session. `mustEnroll`, `mustProve`: before anything else. `provenAt`: when it was last proven, in epoch ms. */
  secondFactor?: { has: boolean; mustEnroll: boolean; mustProve: boolean; provenAt: number | null };
  account: DecidingAccount;
};

type Shown = Omit<Credential, 'expiresAt' | 'account'> & { expires_at: Date | null };

export function credentialOf(shown: Shown, account: DecidingAccount): Credential {
  const { expires_at, created_by = null, ...credential } = shown;
  return { ...credential, created_by, expiresAt: expires_at?.getTime() ?? null, account };
}

export const anyAddress = () => true;

/** Checks addresses against an allow-list; an empty list allows any address. */
export const allowedBy = (ipAllow: readonly string[]) => (ipAllow.length === 0 ? anyAddress : addressSet(ipAllow));
