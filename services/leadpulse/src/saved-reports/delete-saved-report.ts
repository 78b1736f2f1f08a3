import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { SavedReportsStore } from './saved-reports-store.ts';

type Deps = { reports: SavedReportsStore; transact: Transact };

export function deleteSavedReport(app: Server, { reports, transact }: Deps) {
  app.delete(
    '/v2/leadpulse/saved-reports/:id',
    {
      config: { scope: 'leadpulse:write', ifMatch: true },
      schema: {
        operationId: 'deleteSavedReport',
        summary: 'Delete a saved report',
        params: z.object({ id: z.string().describe('The ID of the saved report.') }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const report = await reports.get(request.principal.accountId, request.params.id, tx);
        requireMatch(request, report);
        await reports.remove(tx, request.principal.accountId, report.id);
        return { status: 200, data: { id: report.id, deleted: true } };
      }),
  );
}
