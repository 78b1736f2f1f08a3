import { success } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { WorkflowDetails } from './workflow.ts';
import type { FindDetails } from './workflow-details.ts';
import type { WorkflowsStore } from './workflows-store.ts';

export function getWorkflow(app: Server, { workflows, findDetails }: { workflows: WorkflowsStore; findDetails: FindDetails }) {
  app.get(
    '/v2/workflows/:id',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflow',
        summary: 'Get a workflow',
        params: z.object({ id: workflowId }),
        response: { 200: success(WorkflowDetails) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const workflow = await workflows.get(accountId, request.params.id);
      const details = await findDetails(accountId, workflow.id, workflow);
      return reply.header('etag', etagOf(workflow)).send({ success: true, data: { ...workflow, ...details } });
    },
  );
}
