import type { Permission, Scope } from '@marketing-platform/sdk';
import { useMe } from './session-query.ts';

type Area = 'contacts' | 'segments' | 'campaigns' | 'leadpulse' | 'workflows' | 'webhooks' | 'settings';
type Holder = { permission: Permission; scopes: readonly Scope[] | null };

/** Whether the API lets this user do all that the scope is for: by the permission, and by the scopes of a custom role. */
export function mayUse({ permission, scopes }: Holder, scope: Scope): boolean {
  const needsAdmin = scope.startsWith('settings:') || scope === 'webhooks:write';
  const reaches = needsAdmin ? permission === 'admin' : permission !== 'read_only' || scope.endsWith(':read');
  return reaches && (scopes === null || scopes.includes(scope));
}

/** What the signed-in user may do, for hiding actions that the API would reject. The API enforces it. `mayWrite`: in this area. */
export function usePermission(area: Area = 'contacts') {
  const { data: me } = useMe();
  const may = (scope: Scope) => me !== undefined && mayUse(me, scope);
  return { may, mayWrite: may(`${area}:write`), seesSettings: may('settings:read') };
}
