import { page } from '@mp/contracts/envelope';
import { contactId, workflowId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { includeContact, withContacts } from '@mp/service-kit/include-contacts';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { StepId } from '../workflows/step-id.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { RunState, RunView, runView } from './run-view.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = { workflows: WorkflowsStore; runs: RunsStore; broker: Pick<Broker, 'request'> };

export function listRuns(app: Server, { workflows, runs, broker }: Deps) {
  app.get(
    '/v2/workflows/:id/runs',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'listWorkflowRuns',
        summary: 'List the runs of a workflow, newest first',
        params: z.object({ id: workflowId }),
        querystring: z.strictObject({
          ...listQuery,
          include: includeContact,
          status: renamedFrom('state', RunState.optional().describe('List only runs with this status.')),
          step_id: StepId.optional().describe('Only runs that are at this step, or ended there.'),
          contact_id: contactId.max(100).optional(),
        }),
        response: { 200: page(RunView) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const workflow = await workflows.get(accountId, request.params.id);
      const { items, pagination } = await runs.list(accountId, workflow.id, request.query);
      const views = items.map(runView);
      const shown = request.query.include ? await withContacts(broker, request.principal, views, ({ contact_id }) => contact_id) : views;
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: shown, pagination } };
    },
  );
}
