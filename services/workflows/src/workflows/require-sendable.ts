import type { Principal } from '@mp/service-kit/create-server';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import type { Step } from './step.ts';

/** Throws FORBIDDEN if the role of the caller may not send the emails of these steps. They have no topic. */
export function requireSendable(principal: Principal, steps: readonly Step[]) {
  for (const step of steps) if (step.type === 'send') requireWithinLimits(principal, { topic: null, sender: step.from.email });
}
