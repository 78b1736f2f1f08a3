import type { Permission, Scope } from '@marketing-platform/sdk';

type Holder = { permission: Permission; scopes: readonly Scope[] | null };

/** Whether the API lets this user do all that the scope is for: by the permission, and by the scopes of a custom role. */
export function mayUse({ permission, scopes }: Holder, scope: Scope): boolean {
  const needsAdmin = scope.startsWith('settings:') || scope === 'webhooks:write';
  const reaches = needsAdmin ? permission === 'admin' : permission !== 'read_only' || scope.endsWith(':read');
  return reaches && (scopes === null || scopes.includes(scope));
}
