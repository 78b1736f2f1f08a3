import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink } from '@mp/service-kit/list';
import { SavedReport } from './saved-report.ts';
import { ListSavedReportsQuery, type SavedReportsStore } from './saved-reports-store.ts';

export function listSavedReports(app: Server, { reports }: { reports: SavedReportsStore }) {
  app.get(
    '/v2/leadpulse/saved-reports',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listSavedReports',
        summary: 'List saved reports',
        description: 'Newest first.',
        querystring: ListSavedReportsQuery,
        response: { 200: page(SavedReport) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await reports.list(request.principal.accountId, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items, pagination } };
    },
  );
}
