import type { AccountId } from '@mp/ids';
import { backoff } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { AccountsStore } from '../accounts/accounts-store.ts';
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
const maxAttempts = 12;
const mailsAtOnce = 4;
/** Bounds the query of a round in which very many accounts take part. */
const maxAccountsPerRound = 1_000;

/**
 * Sends reports that are due. Each account has one email in turn, so that many reports of one do not delay those of another. An email is
 * marked just before the mail server gets it: a process that ends before sends it later, one that ends during that not again.
 */
export function createMailReports(deps: Deps) {
  const { mongo, logger, accounts, users, reportEmails, reportMails, composeReport, deliver, now } = deps;
  const { leaseMs = 5 * 60_000, retryMs = { first: 60_000, max: hourMs } } = deps;
  const served = new Set<AccountId>();

  /** The next of the accounts that had no turn in this round; then a new round begins. */
  async function inTurn<Found>(find: (except: readonly AccountId[]) => Promise<Found | undefined>): Promise<Found | undefined> {
    if (served.size >= maxAccountsPerRound) served.clear();
    const found = await find([...served]);
    if (found || served.size === 0) return found;
    served.clear();
    return find([]);
  }

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

  async function send(mail: ReportMail) {
    const { account_id, report_id, user_id } = mail;
    const fail = async (reason: string) => {
      await reportMails.settle(mail, 'failed');
      await reportEmails.note(account_id, report_id, { last_failure: reason });
    };
    const [row, user, account] = await Promise.all([
      reportEmails.find(account_id, report_id),
      users.find(account_id, user_id),
      accounts.find(account_id),
    ]);
    if (!row?.user_ids.includes(user_id) || !user?.email) return fail('The user left the account, or has no email address.');
    if (!deliver) return fail('The platform has no mail server.');
    try {
      const composed = await composeReport(row, { to: user.email, user_id, zone: account?.timezone ?? 'UTC' });
      if (!composed) return fail('The campaign or workflow no longer exists.');
      if (!(await reportMails.hand(mail, new Date(now() + leaseMs)))) return;
      const outcome = await deliver(composed);
      if (outcome.status === 'retry') throw new Error(outcome.reason);
      await reportMails.settle(mail, outcome.status);
      await reportEmails.note(
        account_id,
        report_id,
        outcome.status === 'sent' ? { last_sent_at: new Date(now()), last_failure: null } : { last_failure: outcome.reason },
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (mail.attempts >= maxAttempts) return fail(reason);
      logger.warn({ err: error, account: account_id }, 'could not send a report; retrying');
      await reportMails.retry(mail, new Date(now() + backoff(mail.attempts - 1, retryMs.first, retryMs.max)));
    }
  }

  return createRunner({
    logger,
    warning: 'sending reports failed; retrying',
    async work() {
      const at = new Date(now());
      await reportMails.giveUp(at);
      const hasBegun = await begin();
      const claimed: ReportMail[] = [];
      while (claimed.length < mailsAtOnce) {
        const mail = await inTurn((except) => reportMails.claim(at, leaseMs, except));
        if (!mail) break;
        served.add(mail.account_id);
        claimed.push(mail);
      }
      await Promise.all(claimed.map(send));
      return hasBegun || claimed.length > 0;
    },
  });
}
