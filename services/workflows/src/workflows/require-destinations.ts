import { ApiError } from '@mp/contracts/errors';
import { refusal } from '@mp/contracts/permissions';
import type { Principal } from '@mp/service-kit/create-server';
import type { Step } from './step.ts';

/**
 * Throws FORBIDDEN unless the caller may decide where the account's data is sent, as for webhooks of the account: for a `webhook` step
 * with a URL that the workflow does not have yet.
 */
export function requireDestinations(principal: Principal, steps: readonly Step[], before: readonly Step[] = []) {
  const known = new Set(before.map(urlOf));
  const added = steps.find((step) => step.type === 'webhook' && !known.has(step.url));
  if (!added) return;
  const refused = refusal(principal, 'POST', 'webhooks:write');
  if (refused !== undefined) throw new ApiError('FORBIDDEN', `The step ${added.id} sends data of the account to a new URL. ${refused}`);
}

const urlOf = (step: Step) => (step.type === 'webhook' ? step.url : undefined);
