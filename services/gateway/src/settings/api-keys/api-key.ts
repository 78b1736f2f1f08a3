import type { CredentialState } from '@mp/contracts/credential-state';
import { Permission, Scope } from '@mp/contracts/permissions';
import type { AccountId, ApiKeyId, PrincipalId } from '@mp/ids';
import { z } from 'zod';
import type { MadeFor } from '../../credentials/made-by.ts';

/** A key that expires within this time has the status `expiring`. Also the longest grace period of a rotated key. */
export const expiringMs = 7 * 24 * 60 * 60 * 1_000;

export const ApiKeyStatus = z.enum(['active', 'expiring', 'expired', 'revoked']);

/** A key as the settings API returns it. The key itself is returned only once, at creation, and never stored. */
export const ApiKey = z
  .object({
    id: z.string().describe('The ID of the key; not a secret.'),
    name: z.string().describe('A name that says what the key is for.'),
    prefix: z.string().describe('The first 12 characters of the key.'),
    last4: z.string().describe('The last 4 characters of the key.'),
    permission: Permission,
    scopes: z.array(Scope).nullable().describe('The scopes that narrow the permission. Null: all scopes.'),
    status: ApiKeyStatus.describe('`expiring`: still works, but expires within seven days.'),
    ip_allow: z.array(z.string()).describe('IP addresses and CIDR ranges the key may be used from. Empty: any address.'),
    created_by: z.string().nullable().describe('The user, key or OAuth client that created it. Null: the command line.'),
    created_at: z.iso.datetime().describe('When the key was created.'),
    expires_at: z.iso.datetime().nullable().describe('When the key expires. Null: never.'),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .describe('When the key was last used. Null: never. Up to a minute late if several gateways run.'),
    revoked_at: z.iso.datetime().nullable().describe('When the key was revoked. Null: not revoked.'),
    rotated_to: z.string().nullable().describe('The ID of the key that replaced this one. Null: not rotated.'),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export type ApiKeyRow = MadeFor & {
  id: ApiKeyId;
  account_id: AccountId;
  hash: string;
  prefix: string;
  last4: string;
  name: string;
  permission: Permission;
  scopes: Scope[] | null;
  scopes_version: number;
  ip_allow: string[];
  created_by: PrincipalId | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  rotated_to: ApiKeyId | null;
};

export function statusOf(key: Pick<ApiKeyRow, 'revoked_at' | 'expires_at'>, now: Date): z.infer<typeof ApiKeyStatus> {
  if (key.revoked_at) return 'revoked';
  const left = key.expires_at ? key.expires_at.getTime() - now.getTime() : Number.POSITIVE_INFINITY;
  if (left <= 0) return 'expired';
  return left <= expiringMs ? 'expiring' : 'active';
}

export const apiKeyView = (key: ApiKeyRow, now = new Date()): ApiKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  last4: key.last4,
  permission: key.permission,
  scopes: key.scopes,
  status: statusOf(key, now),
  ip_allow: key.ip_allow,
  created_by: key.created_by,
  created_at: key.created_at.toISOString(),
  expires_at: key.expires_at?.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
  rotated_to: key.rotated_to,
});

/** Whether this key can manage keys. An account keeps at least one such key. */
export const isAdminKey = (key: Pick<ApiKeyRow, 'permission' | 'scopes'>) =>
  key.permission === 'admin' && (key.scopes === null || key.scopes.includes('settings:keys'));

/** The state that the event of every change carries. */
export const stateOfKey = ({
  revoked_at,
  permission,
  scopes,
  scopes_version,
  ip_allow,
  expires_at,
}: Omit<ApiKeyRow, 'id'>): Extract<CredentialState, { of: 'key' }> => ({
  of: 'key',
  ended: revoked_at !== null,
  permission,
  scopes,
  scopes_version,
  ip_allow,
  expires_at: expires_at?.toISOString() ?? null,
});
