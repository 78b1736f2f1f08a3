import { Deleted, success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import { auditedReportEmail } from './report-email.ts';
import { getSeen, requireMayChange } from './report-email-access.ts';
import type { ReportEmailsStore } from './report-emails-store.ts';
import type { ReportMailsStore } from './report-mails-store.ts';

type Deps = {
  reportEmails: ReportEmailsStore;
  reportMails: Pick<ReportMailsStore, 'withdraw'>;
  auditLog: AuditLogStore;
  transact: Transact;
};

export function deleteReportEmail(app: Server, { reportEmails, reportMails, auditLog, transact }: Deps) {
  app.delete(
    '/v2/report-emails/:id',
    {
      config: { scope: null, ifMatch: true },
      schema: {
        operationId: 'deleteReportEmail',
        summary: 'Stop emailing a report',
        description: 'Nobody gets the report any more, except in emails that the mail server already has.',
        params: z.object({ id: z.string() }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { principal } = request;
        const row = await getSeen(reportEmails, principal, request.params.id, tx);
        requireMayChange(principal, row);
        requireMatch(request, row);
        await reportEmails.delete(tx, row);
        await reportMails.withdraw(tx, principal.accountId, { report_id: row.id });
        await auditLog.add(tx, principal, { action: 'report_email.deleted', target_id: row.id, details: auditedReportEmail(row) });
        return { status: 200, data: { id: row.id, deleted: true as const } };
      }),
  );
}
