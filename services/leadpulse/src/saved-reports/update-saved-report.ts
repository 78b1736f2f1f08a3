import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import { changeSavedReport, SavedReport, UpdateSavedReportBody } from './saved-report.ts';
import type { SavedReportsStore } from './saved-reports-store.ts';

type Deps = { reports: SavedReportsStore; transact: Transact };

export function updateSavedReport(app: Server, { reports, transact }: Deps) {
  app.put(
    '/v2/leadpulse/saved-reports/:id',
    {
      config: { scope: 'leadpulse:write', ifMatch: true },
      schema: {
        operationId: 'updateSavedReport',
        summary: 'Update a saved report',
        description: 'Omitted fields keep their value. Supports `If-Match`.',
        params: z.object({ id: z.string().describe('The ID of the saved report.') }),
        body: UpdateSavedReportBody,
        response: { 200: success(SavedReport) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const before = await reports.get(request.principal.accountId, request.params.id, tx);
        requireMatch(request, before);
        const report = changeSavedReport(before, request.body, new Date());
        if (report !== before) await reports.replace(tx, request.principal.accountId, report);
        return { status: 200, data: report, etag: etagOf(report) };
      }),
  );
}
