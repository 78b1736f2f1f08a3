import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, includeTotal, listQuery } from '@mp/service-kit/list';
import { nameSearch } from '@mp/service-kit/name-search';
import { z } from 'zod';
import { Workflow, WorkflowStatus } from './workflow.ts';
import { ListWorkflowsSort, type WorkflowsStore } from './workflows-store.ts';

export function listWorkflows(app: Server, { workflows }: { workflows: WorkflowsStore }) {
  app.get(
    '/v2/workflows',
    {
      config: { scope: 'workflows:read' },
      schema: {
        operationId: 'listWorkflows',
        summary: 'List workflows',
        querystring: z.strictObject({
          ...listQuery,
          include: includeTotal,
          sort: ListWorkflowsSort,
          status: WorkflowStatus.optional(),
          q: nameSearch,
        }),
        response: { 200: page(Workflow) },
      },
    },
    async (request, reply) => {
      const found = await workflows.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
