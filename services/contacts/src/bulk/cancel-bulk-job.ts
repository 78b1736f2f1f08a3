import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { BulkJob } from './bulk-job.ts';
import type { BulkJobsStore } from './bulk-jobs-store.ts';

export function cancelBulkJob(app: Server, { jobs, transact }: { jobs: BulkJobsStore; transact: Transact }) {
  app.post(
    '/v2/contacts/bulk/:id/cancel',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'cancelBulkJob',
        summary: 'Cancel a bulk job',
        description: 'Stops the job. Contacts that were already changed stay changed; the results name them.',
        params: z.object({ id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(BulkJob) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => ({
        status: 200,
        data: await jobs.cancel(tx, request.principal.accountId, request.params.id),
      })),
  );
}
