import type { Principal } from '@mp/service-kit/create-server';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import type { Step } from './step.ts';

/** The addresses that the emails of these steps come from. */
export const sendersOf = (steps: readonly Step[]) => [...new Set(steps.flatMap((step) => (step.type === 'send' ? step.from.email : [])))];

/** Throws FORBIDDEN if the role of the caller may not send the emails of these steps. They have no topic. */
export function requireSendable(principal: Principal, steps: readonly Step[]) {
  for (const sender of sendersOf(steps)) requireWithinLimits(principal, { topic: null, sender });
}
