import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { SavedReport } from './saved-report.ts';
import type { SavedReportsStore } from './saved-reports-store.ts';

export function getSavedReport(app: Server, { reports }: { reports: SavedReportsStore }) {
  app.get(
    '/v2/leadpulse/saved-reports/:id',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getSavedReport',
        summary: 'Get a saved report',
        params: z.object({ id: z.string().describe('The ID of the saved report.') }),
        response: { 200: success(SavedReport) },
      },
    },
    async (request, reply) => {
      const report = await reports.get(request.principal.accountId, request.params.id);
      reply.header('etag', etagOf(report));
      return { success: true as const, data: report };
    },
  );
}
