import type { Permission, Scope } from '@mp/contracts/permissions';
import { type AccountId, newId, type PrincipalId } from '@mp/ids';
import type { MadeFor } from '../../credentials/made-by.ts';
import { secretHash } from '../../credentials/secret-hash.ts';
import { scopesVersion } from '../../credentials/stored-scopes.ts';
import { newSecret } from '../../credentials/token-format.ts';
import type { ApiKeyRow } from './api-key.ts';

type Wanted = MadeFor & {
  name: string;
  permission: Permission;
  scopes?: readonly Scope[] | null | undefined;
  ip_allow?: readonly string[] | undefined;
  expires_at?: Date | null | undefined;
  created_by: PrincipalId | null;
};

/** A new key: its text, to be shown once, and the row that is kept. */
export function newApiKey(accountId: AccountId, wanted: Wanted, now = new Date()): { text: string; key: ApiKeyRow } {
  const text = newSecret('key');
  const key: ApiKeyRow = {
    id: newId('key'),
    account_id: accountId,
    hash: secretHash(text),
    prefix: text.slice(0, 12),
    last4: text.slice(-4),
    name: wanted.name,
    permission: wanted.permission,
    scopes: wanted.scopes ? [...new Set(wanted.scopes)] : null,
    scopes_version: scopesVersion,
    ip_allow: [...(wanted.ip_allow ?? [])],
    created_by: wanted.created_by,
    created_for: wanted.created_for ?? null,
    created_at: now,
    expires_at: wanted.expires_at ?? null,
    last_used_at: null,
    revoked_at: null,
    rotated_to: null,
  };
  return { text, key };
}
