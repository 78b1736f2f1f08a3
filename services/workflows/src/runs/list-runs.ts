import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { linkNext, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { RunState, RunView, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

export function listRuns(app: Server, { workflows, runs }: { workflows: WorkflowsStore; runs: RunsStore }) {
  app.get(
    '/v2/workflows/:id/runs',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'listWorkflowRuns',
        summary: 'List the runs of a workflow, newest first',
        params: z.object({ id: z.string() }),
        querystring: z.strictObject({ ...listQuery, state: RunState.optional(), contact_id: z.string().max(100).optional() }),
        response: { 200: page(RunView) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const workflow = await workflows.get(accountId, request.params.id);
      const { items, pagination } = await runs.list(accountId, workflow.id, request.query);
      linkNext(request, reply, pagination);
      return { success: true as const, data: { items: items.map(runView), pagination } };
    },
  );
}
