import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { BulkJob } from './bulk-job.ts';
import type { BulkJobsStore } from './bulk-jobs-store.ts';

export function getBulkJob(app: Server, { jobs }: { jobs: BulkJobsStore }) {
  app.get(
    '/v2/contacts/bulk/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getBulkJob',
        summary: 'Get a bulk job',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(BulkJob) },
      },
    },
    async (request) => ({ success: true as const, data: await jobs.get(request.principal.accountId, request.params.id) }),
  );
}
