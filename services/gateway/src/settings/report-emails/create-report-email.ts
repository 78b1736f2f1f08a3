import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { UsersStore } from '../users/users-store.ts';
import {
  auditedReportEmail,
  CreateReportEmailBody,
  maxReportEmails,
  newReportEmail,
  ReportEmail,
  reportEmailView,
} from './report-email.ts';
import { requireMayChange } from './report-email-access.ts';
import type { ReportEmailsStore } from './report-emails-store.ts';
import { requireSubject, requireUsers } from './require-subject.ts';

type Deps = {
  accounts: AccountsStore;
  users: Pick<UsersStore, 'find'>;
  reportEmails: ReportEmailsStore;
  auditLog: AuditLogStore;
  broker: Pick<Broker, 'request'>;
  transact: Transact;
  now: () => number;
};

export function createReportEmail(app: Server, { accounts, users, reportEmails, auditLog, broker, transact, now }: Deps) {
  app.post(
    '/v2/report-emails',
    {
      config: { scope: null },
      schema: {
        operationId: 'createReportEmail',
        summary: 'Email a report to users',
        description:
          'Emails the report of a campaign or a workflow to users of the account, once at a time or every week in the time zone of the account. ' +
          'Needs the scope `campaigns:write` or `workflows:write`. Each email is sent once, contains numbers and no contacts, and has a link ' +
          `with which its user stops it. An account can have at most ${maxReportEmails} that are still to be sent.`,
        body: CreateReportEmailBody,
        response: { 201: success(ReportEmail) },
      },
    },
    (request, reply) => {
      const { principal, body } = request;
      const { accountId } = principal;
      const { campaign_id = null, workflow_id = null, user_ids, send_at, weekly = null } = body;
      const subject = { campaign_id, workflow_id };
      return transact(
        request,
        reply,
        async (tx) => {
          await accounts.lock(tx, accountId);
          if ((await reportEmails.countOpen(tx, accountId)) >= maxReportEmails)
            throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxReportEmails} report emails; delete unused ones.`);
          const zone = (await accounts.find(accountId, tx))?.timezone ?? 'UTC';
          const at = new Date(now());
          const row = newReportEmail(
            { account_id: accountId, ...subject, user_ids, send_at: send_at ? new Date(send_at) : null, weekly, created_by: principal.id },
            zone,
            at,
          );
          await reportEmails.insert(tx, row);
          await auditLog.add(tx, principal, { action: 'report_email.created', target_id: row.id, details: auditedReportEmail(row) });
          return { status: 201, data: reportEmailView(row), location: `/v2/report-emails/${row.id}`, etag: etagOf(row) };
        },
        {
          before: async () => {
            requireMayChange(principal, subject);
            await requireUsers(users, accountId, user_ids);
            await requireSubject(broker, accountId, subject);
          },
        },
      );
    },
  );
}
