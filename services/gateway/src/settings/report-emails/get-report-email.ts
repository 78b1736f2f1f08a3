import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import { ReportEmail, reportEmailView } from './report-email.ts';
import { getSeen } from './report-email-access.ts';
import type { ReportEmailsStore } from './report-emails-store.ts';

export function getReportEmail(app: Server, { reportEmails }: { reportEmails: ReportEmailsStore }) {
  app.get(
    '/v2/report-emails/:id',
    {
      config: { scope: null },
      schema: {
        operationId: 'getReportEmail',
        summary: 'Get a report email',
        params: z.object({ id: z.string() }),
        response: { 200: success(ReportEmail) },
      },
    },
    async (request, reply) => {
      const row = await getSeen(reportEmails, request.principal, request.params.id);
      reply.header('etag', etagOf(row));
      return { success: true as const, data: reportEmailView(row) };
    },
  );
}
