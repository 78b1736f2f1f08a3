import { useMe } from './session-query.ts';

/** The signed-in user's permission, for hiding actions that the API would reject. The API enforces it. */
export function usePermission() {
  const { data: me } = useMe();
  return { mayWrite: me !== undefined && me.permission !== 'read_only', isAdmin: me?.permission === 'admin' };
}
