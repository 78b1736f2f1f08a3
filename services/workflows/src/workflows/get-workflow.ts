import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { Workflow } from './workflow.ts';
import type { WorkflowsStore } from './workflows-store.ts';

export function getWorkflow(app: Server, { workflows }: { workflows: WorkflowsStore }) {
  app.get(
    '/v2/workflows/:id',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'getWorkflow',
        summary: 'Read a workflow',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(Workflow) },
      },
    },
    async (request, reply) => {
      const workflow = await workflows.get(request.principal.accountId, request.params.id);
      return reply.header('etag', etagOf(workflow)).send({ success: true, data: workflow });
    },
  );
}
