import { createHash } from 'node:crypto';
import type { CredentialState } from '@mp/contracts/credential-state';
import type { ApiKeyRow } from '../settings/api-keys/api-key.ts';
import type { OauthClientRow } from '../settings/oauth/oauth-client.ts';
import type { UserRow } from '../settings/users/user.ts';

type StateOf<Kind extends CredentialState['of']> = Extract<CredentialState, { of: Kind }>;

export const stateOfKey = ({ revoked_at, permission, scopes, ip_allow, expires_at }: Omit<ApiKeyRow, 'id'>): StateOf<'key'> => ({
  of: 'key',
  ended: revoked_at !== null,
  permission,
  scopes,
  ip_allow,
  expires_at: expires_at?.toISOString() ?? null,
});

export const stateOfClient = ({ revoked_at, permission, scopes, ip_allow, secrets }: Omit<OauthClientRow, 'id'>): StateOf<'client'> => ({
  of: 'client',
  ended: revoked_at !== null,
  permission,
  scopes,
  ip_allow,
  secrets: secrets.map(({ hash, last4, created_at, expires_at }) => ({
    ...{ hash, last4, created_at: created_at.toISOString(), expires_at: expires_at?.toISOString() ?? null },
  })),
});

/** A fingerprint of a stored password hash, which cannot be used to check passwords. */
export const passwordPrint = (password: string | null) => password && createHash('sha256').update(password).digest('hex');

export const stateOfUser = ({ role, password }: Pick<UserRow, 'role' | 'password'>, ended = false): StateOf<'user'> => ({
  of: 'user',
  ended,
  role,
  password_print: passwordPrint(password ?? null),
});
