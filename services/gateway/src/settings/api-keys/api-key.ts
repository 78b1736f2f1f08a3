import { Permission, Scope } from '@mp/contracts/permissions';
import { z } from 'zod';

/** An end this close is told in the status. It is also the longest grace of a rotated key. */
export const expiringMs = 7 * 24 * 60 * 60 * 1_000;

export const ApiKeyStatus = z.enum(['active', 'expiring', 'expired', 'revoked']);

/** A key as the settings show it; its text is shown once, when it is made, and never stored. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().describe('The first 12 characters.'),
    last4: z.string(),
    permission: Permission,
    scopes: z.array(Scope).nullable().describe('null: not narrowed.'),
    status: ApiKeyStatus.describe('`expiring`: it works, and ends within seven days.'),
    ip_allow: z.array(z.string()).describe('Addresses and CIDR ranges it may be used from; empty: from anywhere.'),
    created_by: z.string().nullable().describe('The user or key that made it; null: the command line.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable().describe('Up to a minute late where several gateways run.'),
    revoked_at: z.iso.datetime().nullable(),
    rotated_to: z.string().nullable().describe('The key that replaced it.'),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export type ApiKeyRow = {
  id: string;
  account_id: string;
  hash: string;
  prefix: string;
  last4: string;
  name: string;
  permission: Permission;
  scopes: Scope[] | null;
  ip_allow: string[];
  created_by: string | null;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  rotated_to: string | null;
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

/** Whether this key can change settings, this one included: an account keeps one that can. */
export const isAdminKey = (key: Pick<ApiKeyRow, 'permission' | 'scopes'>) =>
  key.permission === 'admin' && (key.scopes === null || key.scopes.includes('settings:write'));
