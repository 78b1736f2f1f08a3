import { page } from '@mp/contracts/envelope';
import { workflowId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { Definition } from './definition.ts';
import type { WorkflowsStore } from './workflows-store.ts';

const Version = Definition.extend({ version: z.number().int(), created_at: z.iso.datetime() }).meta({ id: 'WorkflowVersion' });

export function listVersions(app: Server, { workflows }: { workflows: WorkflowsStore }) {
  app.get(
    '/v2/workflows/:id/versions',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'listWorkflowVersions',
        summary: 'List the versions of a workflow, newest first',
        params: z.object({ id: workflowId }),
        querystring: z.strictObject(listQuery),
        response: { 200: page(Version) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const workflow = await workflows.get(accountId, request.params.id);
      const found = await workflows.listVersions(accountId, workflow.id, request.query.limit, request.query.cursor);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
