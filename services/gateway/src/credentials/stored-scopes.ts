import type { Scope } from '@mp/contracts/permissions';

/** The version of the scopes that this release stores. */
export const scopesVersion = 2;

/** The scopes that version 2 separated from others. A credential that was stored before keeps what it could do. */
const separated: Partial<Record<Scope, Scope>> = {
  'contacts:read': 'contacts:export',
  'contacts:write': 'contacts:erase',
  'workflows:write': 'workflows:activate',
  'settings:write': 'settings:keys',
};

/** Scopes as they were stored; those of earlier releases have no version. */
export type StoredScopes = { scopes: Scope[] | null; scopes_version?: number | undefined };

/** Stored scopes in the terms of this release. */
export function currentScopes({ scopes, scopes_version = 1 }: StoredScopes): { scopes: Scope[] | null; scopes_version: number } {
  if (scopes === null || scopes_version >= scopesVersion) return { scopes, scopes_version: scopesVersion };
  const expanded = scopes.flatMap((scope) => [scope, ...(separated[scope] ? [separated[scope]] : [])]);
  return { scopes: [...new Set(expanded)], scopes_version: scopesVersion };
}
