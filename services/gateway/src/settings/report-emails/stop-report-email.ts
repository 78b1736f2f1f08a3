import { ApiError } from '@mp/contracts/errors';
import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { Mongo } from '@mp/service-kit/mongo';
import { z } from 'zod';
import { type FailedAuthLimiter, refuseIfBlocked } from '../../credentials/failed-auth-limiter.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { ReportEmailsStore } from './report-emails-store.ts';
import type { ReportMailsStore } from './report-mails-store.ts';
import type { StopLinks } from './stop-links.ts';

type Deps = {
  reportEmails: ReportEmailsStore;
  reportMails: ReportMailsStore;
  auditLog: AuditLogStore;
  stopLinks: StopLinks;
  failedSignIns: FailedAuthLimiter;
  mongo: Mongo;
};

/** Stops a report for the user whose email has the link. The same response if it had stopped already, so the link reveals nothing. */
export function stopReportEmail(app: Server, { reportEmails, reportMails, auditLog, stopLinks, failedSignIns, mongo }: Deps) {
  app.post(
    '/auth/report-emails/stop',
    { schema: { hide: true, body: z.strictObject({ token: z.string().min(1).max(1_000) }) } },
    async (request) => {
      const address = addressOf(request);
      refuseIfBlocked(address, failedSignIns);
      const receiver = stopLinks.receiverOf(request.body.token);
      if (!receiver) {
        failedSignIns.count(address);
        throw new ApiError('UNAUTHORIZED', 'This link is not valid. Sign in and stop the report on the page of its campaign or workflow.');
      }
      const { account_id, report_id, user_id } = receiver;
      await mongo.transaction({ correlationId: request.id, causationId: null }, async (tx) => {
        if (!(await reportEmails.removeUser(tx, account_id, user_id, report_id))) return;
        await reportMails.withdraw(tx, account_id, { report_id, user_id });
        const actor = { accountId: account_id, id: user_id };
        await auditLog.add(tx, actor, { action: 'report_email.stopped', target_id: report_id, details: { user_id } });
      });
      return { success: true, data: { stopped: true } };
    },
  );
}
