import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { CreateSavedReportBody, newSavedReport, SavedReport } from './saved-report.ts';
import type { SavedReportsStore } from './saved-reports-store.ts';

export function createSavedReport(app: Server, { reports, transact }: { reports: SavedReportsStore; transact: Transact }) {
  app.post(
    '/v2/leadpulse/saved-reports',
    {
      config: { scope: 'leadpulse:write' },
      schema: {
        operationId: 'createSavedReport',
        summary: 'Save a report',
        description: 'A query, funnel, retention or paths report with a name, to run again. With `days`, the range moves with the time.',
        body: CreateSavedReportBody,
        response: { 201: success(SavedReport) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const report = newSavedReport(request.body, new Date());
        await reports.insert(tx, request.principal.accountId, report);
        return { status: 201, data: report, location: `/v2/leadpulse/saved-reports/${report.id}`, etag: etagOf(report) };
      }),
  );
}
