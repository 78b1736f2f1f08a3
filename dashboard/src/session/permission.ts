import { useMe } from './session-query.ts';

/** What who is signed in may do. Nothing is offered that the API would refuse; the API is what refuses it. */
export function usePermission() {
  const { data: me } = useMe();
  return { mayWrite: me !== undefined && me.permission !== 'read_only', isAdmin: me?.permission === 'admin' };
}
