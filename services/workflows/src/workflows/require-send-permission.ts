import type { AccountId } from '@mp/ids';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import { startedBy } from './started-by.ts';
import type { Step } from './step.ts';
import type { WorkflowsStore } from './workflows-store.ts';

type Workflows = Pick<WorkflowsStore, 'find'>;

/** The addresses that the emails of these steps, and of the workflows that they start, come from. */
export async function sendersOf(workflows: Workflows, accountId: AccountId, steps: readonly Step[], tx?: Transaction): Promise<string[]> {
  const all = [...steps];
  for await (const started of startedBy(workflows, accountId, steps, tx)) all.push(...started.steps);
  return [...new Set(all.flatMap((step) => (step.type === 'send' ? step.from.email : [])))];
}

/** Throws FORBIDDEN if the role of the caller may not send the emails of these steps, or of the workflows that they start. They have no topic. */
export async function requireSendPermission(workflows: Workflows, principal: Principal, steps: readonly Step[], tx?: Transaction) {
  if (!principal.sendingLimits) return;
  for (const sender of await sendersOf(workflows, principal.accountId, steps, tx)) requireWithinLimits(principal, { topic: null, sender });
}
