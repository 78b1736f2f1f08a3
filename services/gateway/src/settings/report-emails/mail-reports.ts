import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { createSendMails } from '../mails/send-mails.ts';
import type { Deliver } from '../users/mailer.ts';
import type { UsersStore } from '../users/users-store.ts';
import type { ComposeReport } from './compose-report.ts';
import { nextWeekly } from './report-email.ts';
import type { ReportEmailsStore } from './report-emails-store.ts';
import type { ReportMail, ReportMailsStore } from './report-mails-store.ts';

type Deps = {
  mongo: Mongo;
  logger: Logger;
  accounts: Pick<AccountsStore, 'find'>;
  users: Pick<UsersStore, 'find'>;
  reportEmails: ReportEmailsStore;
  reportMails: ReportMailsStore;
  composeReport: ComposeReport;
  /** Undefined if no mail server is configured. */
  deliver: Deliver | undefined;
  now: () => number;
  leaseMs?: number;
  retryMs?: { first: number; max: number };
};

const hourMs = 60 * 60 * 1_000;

/** Sends reports that are due, to each of their users once. */
export function createMailReports(deps: Deps) {
  const { mongo, logger, accounts, users, reportEmails, reportMails, composeReport, deliver, now, leaseMs, retryMs } = deps;

  /** Turns a report that is due into an email for each user, and sets when it is due next, in one transaction. */
  async function begin(): Promise<boolean> {
    const at = new Date(now());
    const due = await reportEmails.nextDue(at, []);
    if (!due?.next_send_at) return false;
    const planned = due.next_send_at;
    const account = await accounts.find(due.account_id);
    const zone = account?.timezone ?? 'UTC';
    const isSuspended = account?.status === 'suspended';
    const next = due.weekly ? nextWeekly(due.weekly, zone, at) : null;
    await mongo.transaction({ correlationId: due.id, causationId: null }, async (tx) => {
      if (isSuspended && !due.weekly) return reportEmails.moveOn(tx, due, new Date(at.getTime() + hourMs), at);
      if (!(await reportEmails.moveOn(tx, due, next, at)) || isSuspended) return;
      await reportMails.add(tx, due, planned, at);
    });
    return true;
  }

  async function compose({ account_id, report_id, user_id }: ReportMail) {
    const failed = (reason: string) => ({ status: 'failed' as const, reason });
    const [row, user, account] = await Promise.all([
      reportEmails.find(account_id, report_id),
      users.find(account_id, user_id),
      accounts.find(account_id),
    ]);
    if (!row?.user_ids.includes(user_id) || !user?.email) return failed('The user left the account, or has no email address.');
    const composed = await composeReport(row, { to: user.email, user_id, zone: account?.timezone ?? 'UTC' });
    return composed ?? failed('The campaign or workflow no longer exists.');
  }

  return createSendMails({
    ...{ logger, queue: reportMails.queue, begin, compose, deliver, now, leaseMs, retryMs },
    note: ({ account_id, report_id }, outcome) =>
      reportEmails.note(
        account_id,
        report_id,
        outcome.status === 'sent' ? { last_sent_at: new Date(now()), last_failure: null } : { last_failure: outcome.reason },
      ),
  });
}
