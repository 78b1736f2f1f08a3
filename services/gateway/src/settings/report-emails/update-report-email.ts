import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import type { AuditLogStore } from '../audit/audit-log-store.ts';
import type { UsersStore } from '../users/users-store.ts';
import {
  auditedReportEmail,
  firstAt,
  ReportEmail,
  type ReportEmailRow,
  readOnlyFields,
  reportEmailView,
  UpdateReportEmailBody,
} from './report-email.ts';
import { getSeen, requireMayChange } from './report-email-access.ts';
import type { ReportEmailsStore } from './report-emails-store.ts';
import type { ReportMailsStore } from './report-mails-store.ts';
import { requireUsers } from './require-subject.ts';

type Deps = {
  accounts: AccountsStore;
  users: Pick<UsersStore, 'find'>;
  reportEmails: ReportEmailsStore;
  reportMails: Pick<ReportMailsStore, 'withdraw'>;
  auditLog: AuditLogStore;
  transact: Transact;
  now: () => number;
};

export function updateReportEmail(app: Server, { accounts, users, reportEmails, reportMails, auditLog, transact, now }: Deps) {
  app.put(
    '/v2/report-emails/:id',
    {
      config: { scope: null, ifMatch: true },
      schema: {
        operationId: 'updateReportEmail',
        summary: 'Change when a report is emailed, and to whom',
        description: 'Omitted fields keep their values. A new `send_at` or `weekly` replaces the other, and what is still to be sent.',
        params: z.object({ id: z.string() }),
        body: UpdateReportEmailBody,
        response: { 200: success(ReportEmail) },
      },
    },
    (request, reply) => {
      const { principal, body } = request;
      return transact(
        request,
        reply,
        async (tx) => {
          const before = await getSeen(reportEmails, principal, request.params.id, tx);
          requireMayChange(principal, before);
          requireMatch(request, before);
          rejectReadOnlyChanges(body, reportEmailView(before), readOnlyFields);
          const wanted = { ...before, user_ids: body.user_ids ?? before.user_ids, ...timesOf(body, before) };
          const at = new Date(now());
          const isMoved = !sameTimes(wanted, before);
          if (!isMoved && same(wanted.user_ids, before.user_ids))
            return { status: 200, data: reportEmailView(before), etag: etagOf(before) };
          const zone = (await accounts.find(principal.accountId, tx))?.timezone ?? 'UTC';
          const after: ReportEmailRow = {
            ...{ ...wanted, revision: before.revision + 1, updated_at: at },
            next_send_at: isMoved ? firstAt(wanted, zone, at) : before.next_send_at,
          };
          await reportEmails.update(tx, after);
          const left = before.user_ids.filter((id) => !after.user_ids.includes(id));
          for (const user_id of left) await reportMails.withdraw(tx, principal.accountId, { report_id: before.id, user_id });
          const details = { before: auditedReportEmail(before), after: auditedReportEmail(after) };
          await auditLog.add(tx, principal, { action: 'report_email.changed', target_id: before.id, details });
          return { status: 200, data: reportEmailView(after), etag: etagOf(after) };
        },
        { before: () => requireUsers(users, principal.accountId, body.user_ids ?? []) },
      );
    },
  );
}

type Times = Pick<ReportEmailRow, 'send_at' | 'weekly'>;

/** Throws VALIDATION_ERROR unless one of the two remains. */
function timesOf({ send_at, weekly }: z.output<typeof UpdateReportEmailBody>, before: Times): Times {
  const given = { send_at: typeof send_at === 'string' ? new Date(send_at) : send_at, weekly };
  const wanted = {
    send_at: given.send_at === undefined ? (given.weekly ? null : before.send_at) : given.send_at,
    weekly: given.weekly === undefined ? (given.send_at ? null : before.weekly) : given.weekly,
  };
  if ((wanted.send_at === null) === (wanted.weekly === null))
    throw invalid('/send_at', 'required', 'expected either send_at or weekly; set the other to null or omit it');
  return wanted;
}

const sameTimes = (a: Times, b: Times) => a.send_at?.getTime() === b.send_at?.getTime() && same(a.weekly, b.weekly);
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
