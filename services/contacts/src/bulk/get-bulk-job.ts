import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { ReadConsequences } from '../files/consequences.ts';
import { BulkJobDetail } from './bulk-job.ts';
import type { BulkJobsStore } from './bulk-jobs-store.ts';

export function getBulkJob(app: Server, { jobs, readConsequences }: { jobs: BulkJobsStore; readConsequences: ReadConsequences }) {
  app.get(
    '/v2/contacts/bulk/:id',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'getBulkJob',
        summary: 'Get a bulk job',
        params: z.object({ id: z.string() }),
        response: { 200: success(BulkJobDetail) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const found = await jobs.get(accountId, request.params.id);
      const consequences = await readConsequences(jobs, accountId, found, found.rows.changed);
      return { success: true as const, data: { ...found, consequences } };
    },
  );
}
