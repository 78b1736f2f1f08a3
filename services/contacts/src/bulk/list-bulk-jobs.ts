import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { BulkJob } from './bulk-job.ts';
import type { BulkJobsStore } from './bulk-jobs-store.ts';

export function listBulkJobs(app: Server, { jobs }: { jobs: BulkJobsStore }) {
  app.get(
    '/v2/contacts/bulk',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listBulkJobs',
        summary: 'List bulk jobs',
        description: 'Returns bulk jobs newest first. A job is kept for 30 days after it ends.',
        querystring: z.strictObject(listQuery),
        response: { 200: page(BulkJob) },
      },
    },
    async (request, reply) => {
      const found = await jobs.list(request.principal.accountId, request.query);
      addNextLink(request, reply, found.pagination);
      return { success: true as const, data: found };
    },
  );
}
