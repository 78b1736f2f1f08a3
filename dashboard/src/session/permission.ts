import type { Scope } from '@marketing-platform/sdk';
import { mayUse } from './may-use.ts';
import { useMe } from './session-query.ts';

type Area = 'contacts' | 'segments' | 'campaigns' | 'leadpulse' | 'workflows' | 'webhooks' | 'settings';

/** What the signed-in user may do, for hiding actions that the API would reject. The API enforces it. `mayWrite`: in this area. `isShown`: of a page that has a scope. */
export function usePermission(area: Area = 'contacts') {
  const { data: me } = useMe();
  const may = (scope: Scope) => me !== undefined && mayUse(me, scope);
  const isShown = ({ scope }: { scope?: Scope }) => scope === undefined || may(scope);
  return { may, isShown, mayWrite: may(`${area}:write`), seesSettings: may('settings:read') };
}
