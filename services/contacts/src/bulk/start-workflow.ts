import { ApiError, invalid } from '@mp/contracts/errors';
import { laneOfJob } from '@mp/contracts/lanes';
import { WorkflowRunsStart } from '@mp/contracts/requests/workflows';
import type { ContactId, WorkflowId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Principal } from '@mp/service-kit/create-server';
import { requireWithinLimits } from '@mp/service-kit/sending-limits';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { unknownContact } from './apply-action.ts';
import type { BulkResult } from './bulk-job.ts';
import type { HeldJob } from './bulk-jobs-store.ts';

type Deps = { broker: Pick<Broker, 'request'>; contacts: Pick<ContactsStore, 'findMany'> };

export type StartWorkflow = ReturnType<typeof createStartWorkflow>;

const statuses = { started: 'changed', not_admitted: 'unchanged' } as const;

/**
 * Starts a run for each of these contacts. Repeated for the same job, it has the same results. Throws SERVICE_UNAVAILABLE if workflows
 * does not reply, and INVALID_STATE if no run can start.
 */
export function createStartWorkflow({ broker, contacts }: Deps) {
  return async ({ id, accountId, request, rows }: HeldJob, workflowId: WorkflowId, ids: readonly ContactId[]): Promise<BulkResult[]> => {
    if (ids.length === 0) return [];
    const known = new Set((await contacts.findMany(accountId, ids)).map((contact) => contact.id));
    const { refused, items } = await broker.request(WorkflowRunsStart, {
      ...{ account_id: accountId, workflow_id: workflowId, contact_ids: ids.filter((one) => known.has(one)) },
      ...{ by: id, lane: laneOfJob(rows.selected), dry_run: request.dry_run },
    });
    if (refused !== null) throw new ApiError('INVALID_STATE', refused);
    const results = new Map(items.map(({ contact_id, status }) => [contact_id, status]));
    return ids.map((one) => {
      const status = results.get(one) ?? 'not_found';
      return status === 'not_found' ? unknownContact(one) : { id: one, status: statuses[status] };
    });
  };
}

/**
 * Throws VALIDATION_ERROR unless runs of the workflow can start, FORBIDDEN if the role of the caller may not send its emails, and
 * SERVICE_UNAVAILABLE if workflows does not reply.
 */
export async function requireStartable(broker: Pick<Broker, 'request'>, principal: Principal, workflowId: WorkflowId, path: string) {
  const request = {
    account_id: principal.accountId,
    workflow_id: workflowId,
    contact_ids: [],
    by: principal.accountId,
    lane: 'live' as const,
    dry_run: true,
  };
  const { refused, senders } = await broker.request(WorkflowRunsStart, request);
  if (refused !== null) throw invalid(path, 'unusable_workflow', refused);
  // Emails of workflows have no topic.
  for (const sender of senders) requireWithinLimits(principal, { topic: null, sender });
}
