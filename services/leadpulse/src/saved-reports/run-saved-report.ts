import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { FunnelResult } from '../reports/funnel-report.ts';
import { PathsResult } from '../reports/paths-report.ts';
import { QueryResult } from '../reports/query-report.ts';
import { ReportJob } from '../reports/report-job.ts';
import { RetentionResult } from '../reports/retention-report.ts';
import { maxEventsNow, type RunReport } from '../reports/run-report.ts';
import { RunSavedReportBody, requestFor } from './saved-report.ts';
import type { SavedReportsStore } from './saved-reports-store.ts';

const SavedReportResult = z.union([QueryResult, FunnelResult, RetentionResult, PathsResult]).meta({ id: 'SavedReportResult' });

export function runSavedReport(app: Server, { reports, runReport }: { reports: SavedReportsStore; runReport: RunReport }) {
  app.post(
    '/v2/leadpulse/saved-reports/:id/run',
    {
      config: { scope: 'leadpulse:read', reads: true },
      schema: {
        operationId: 'runSavedReport',
        summary: 'Run a saved report',
        description:
          'Returns what the report itself returns. `from` and `to` replace the saved range for this run. ' +
          `If the report reads more than ${maxEventsNow.toLocaleString('en')} events, or with \`background\`, it returns 202 and runs as a job; get it at the URL in \`Location\`.`,
        params: z.object({ id: z.string().describe('The ID of the saved report.') }),
        body: RunSavedReportBody,
        response: { 200: success(SavedReportResult), 202: success(ReportJob) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const saved = await reports.get(accountId, request.params.id);
      return runReport(reply, accountId, saved.report.kind, requestFor(saved, request.body));
    },
  );
}
