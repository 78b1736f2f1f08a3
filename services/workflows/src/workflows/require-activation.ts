import { ApiError } from '@mp/contracts/errors';
import { refusal } from '@mp/contracts/permissions';
import type { Principal } from '@mp/service-kit/create-server';

/** Throws FORBIDDEN unless the caller may activate workflows: for changes that start or redirect runs without the transition. */
export function requireActivation(principal: Principal, change: string) {
  const refused = refusal(principal, 'POST', 'workflows:activate');
  if (refused !== undefined) throw new ApiError('FORBIDDEN', `${change} needs the right to activate workflows. ${refused}`);
}
