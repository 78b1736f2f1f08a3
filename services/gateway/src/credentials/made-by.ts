import { isId, type PrincipalId, type UserId } from '@mp/ids';
import type { Principal } from '@mp/service-kit/create-server';

/** Who made an API key or a client secret. Absent: an earlier release stored it. */
export type MadeFor = { created_for?: UserId | null };

/** The user behind a caller, however many keys and clients are between; null if unknown. */
export function userBehind({ id, createdBy }: Pick<Principal, 'id' | 'createdBy'>): UserId | null {
  if (isId('user', id)) return id;
  return createdBy !== undefined && isId('user', createdBy) ? createdBy : null;
}

export const madeBy = (principal: Principal) => ({ created_by: principal.id, created_for: userBehind(principal) });

/** What services learn about who made it. */
export const makerOf = ({ created_for, created_by }: MadeFor & { created_by: PrincipalId | null }): PrincipalId | null =>
  created_for ?? created_by;
