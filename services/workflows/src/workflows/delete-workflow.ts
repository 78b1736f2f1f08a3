import { Deleted, success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { RunsStore } from '../runs/runs-store.ts';
import type { WorkflowApprovals } from './approval/workflow-approvals.ts';
import type { WorkflowsStore } from './workflows-store.ts';

type Deps = {
  workflows: WorkflowsStore;
  workflowApprovals: Pick<WorkflowApprovals, 'remove'>;
  runs: RunsStore;
  transact: Transact;
  clock: Clock;
};

export function deleteWorkflow(app: Server, { workflows, workflowApprovals, runs, transact, clock }: Deps) {
  app.delete(
    '/v2/workflows/:id',
    {
      config: { scope: 'workflows:write', ifMatch: true },
      schema: {
        operationId: 'deleteWorkflow',
        summary: 'Delete a workflow',
        description: 'Open runs exit with the reason `workflow_deleted`; all runs can still be retrieved by id.',
        params: z.object({ id: workflowId }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const workflow = await workflows.get(accountId, request.params.id, tx);
        requireMatch(request, workflow);
        await workflows.remove(tx, accountId, workflow);
        await workflowApprovals.remove(tx, accountId, workflow.id);
        tx.afterCommit(() => runs.wakeRuns(accountId, workflow.id, clock()));
        return { status: 200, data: { id: workflow.id, deleted: true } };
      }),
  );
}
