import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { RunsStore } from '../runs/runs-store.ts';
import { moveWorkflow, WorkflowDetails } from './workflow.ts';
import type { FindDetails } from './workflow-details.ts';
import type { WorkflowsStore } from './workflows-store.ts';

type Deps = { workflows: WorkflowsStore; runs: RunsStore; transact: Transact; findDetails: FindDetails; clock: Clock };

const moves = [
  ['activate', 'active', 'From now on the trigger starts runs, and runs held by a pause continue.'],
  ['pause', 'paused', 'No runs start, and open runs are held at their step. Effects that a step has already requested still happen.'],
  ['archive', 'archived', 'No runs start, and open runs exit with the reason `workflow_archived`.'],
] as const;

/** POST /v2/workflows/:id/activate, /pause and /archive. All are idempotent. */
export function moveWorkflows(app: Server, { workflows, runs, transact, findDetails, clock }: Deps) {
  for (const [verb, status, description] of moves) {
    app.post(
      `/v2/workflows/:id/${verb}`,
      {
        config: { scope: 'workflows:write' },
        schema: {
          operationId: `${verb}Workflow`,
          summary: `${verb[0]?.toUpperCase()}${verb.slice(1)} a workflow`,
          description,
          params: z.object({ id: workflowId }),
          querystring: noQuery,
          body: z.strictObject({}),
          response: { 200: success(WorkflowDetails) },
        },
      },
      (request, reply) => {
        const { accountId } = request.principal;
        return transact(
          request,
          reply,
          async (tx, details) => {
            const before = await workflows.get(accountId, request.params.id, tx);
            requireMatch(request, before);
            const workflow = moveWorkflow(before, status, clock());
            if (workflow !== before) {
              await workflows.replace(tx, accountId, workflow);
              if (status !== 'paused') tx.afterCommit(() => runs.wakeRuns(accountId, workflow.id, clock()));
            }
            return { status: 200, data: { ...workflow, ...details }, etag: etagOf(workflow) };
          },
          {
            before: async () => {
              const workflow = await workflows.get(accountId, request.params.id);
              return findDetails(accountId, workflow.id, workflow);
            },
          },
        );
      },
    );
  }
}
