import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import { BulkJob, endOfDeletion, isAudited } from './bulk-job.ts';
import type { BulkJobsStore } from './bulk-jobs-store.ts';

type Deps = { jobs: BulkJobsStore; audit: Audit; transact: Transact };

export function cancelBulkJob(app: Server, { jobs, audit, transact }: Deps) {
  app.post(
    '/v2/contacts/bulk/:id/cancel',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'cancelBulkJob',
        summary: 'Cancel a bulk job',
        description: 'Stops the job. Contacts that were already changed are not changed back; the results name them.',
        params: z.object({ id: z.string() }),
        body: z.strictObject({}),
        response: { 200: success(BulkJob) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const job = await jobs.cancel(tx, request.principal.accountId, request.params.id);
        if (isAudited(job)) await audit(tx, request.principal, endOfDeletion(job));
        return { status: 200, data: job };
      }),
  );
}
