import { randomUUID } from 'node:crypto';
import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { ReportEmailRow } from './report-email.ts';

/** `sending`: handed to the mail server, without its response. `unknown`: the process ended then, so it is not sent again. */
type Status = 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown';

export type ReportMail = {
  _id: string;
  account_id: AccountId;
  report_id: string;
  user_id: string;
  status: Status;
  attempts: number;
  due_at: Date;
  token: string | null;
  created_at: Date;
};

export type ReportMailsStore = ReturnType<typeof createReportMailsStore>;

const keepSeconds = 30 * 24 * 60 * 60;

/** The only place that knows the `report_mails` collection: one report to one user at one time, sent once. */
export function createReportMailsStore(db: Db) {
  const mails = db.collection<ReportMail>('report_mails');
  const idOf = (reportId: string, at: Date, userId: string) => `${reportId} ${at.toISOString()} ${userId}`;

  return {
    prepare: () =>
      prepareCollection(
        mails,
        [
          { key: { account_id: 1, report_id: 1, user_id: 1 }, name: 'of_report' },
          { key: { status: 1, due_at: 1 }, name: 'due' },
          { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** One email for each user, once for the same report and time. */
    async add(tx: Transaction, { id, account_id, user_ids }: ReportEmailRow, at: Date, now: Date) {
      const rows = user_ids.map(
        (user_id): ReportMail => ({
          ...{ _id: idOf(id, at, user_id), account_id, report_id: id, user_id, status: 'waiting', attempts: 0 },
          ...{ due_at: now, token: null, created_at: now },
        }),
      );
      if (rows.length > 0) await mails.insertMany(rows, { session: tx.session });
    },

    /** The one that is due longest, of the accounts that are not excepted. Nobody else gets it before the lease ends. */
    async claim(now: Date, leaseMs: number, exceptAccounts: readonly AccountId[]): Promise<ReportMail | undefined> {
      const claimed = await mails.findOneAndUpdate(
        { status: 'waiting', due_at: { $lte: now }, account_id: { $nin: [...exceptAccounts] } },
        { $set: { due_at: new Date(now.getTime() + leaseMs), token: randomUUID() }, $inc: { attempts: 1 } },
        { sort: { due_at: 1 }, returnDocument: 'after' },
      );
      return claimed ?? undefined;
    },

    /** Marks it just before the mail server gets it. Returns false if another process has claimed it since. */
    async hand({ _id, account_id, token }: ReportMail, until: Date): Promise<boolean> {
      const handed = { $set: { status: 'sending' as const, due_at: until } };
      const { modifiedCount } = await mails.updateOne({ _id, account_id, token, status: 'waiting' }, handed);
      return modifiedCount === 1;
    },

    async settle({ _id, account_id, token }: ReportMail, status: Exclude<Status, 'waiting'>) {
      await mails.updateOne({ _id, account_id, token }, { $set: { status } });
    },

    /** The mail server has not taken it; it waits until then. */
    async retry({ _id, account_id, token }: ReportMail, due_at: Date) {
      await mails.updateOne({ _id, account_id, token }, { $set: { status: 'waiting', due_at } });
    },

    /** Emails whose process ended while the mail server had them. */
    async giveUp(now: Date) {
      const over = { status: 'sending' as const, due_at: { $lte: now } };
      // A write wakes the worker, so without any it writes nothing.
      if (await mails.findOne(over, { projection: { _id: 1 } })) await mails.updateMany(over, { $set: { status: 'unknown' } });
    },

    /** Withdraws what waits of a report, or of one user of it. */
    async withdraw(tx: Transaction, accountId: AccountId, { report_id, user_id }: { report_id?: string; user_id?: string }) {
      const which = { account_id: accountId, ...(report_id !== undefined && { report_id }), ...(user_id !== undefined && { user_id }) };
      await mails.deleteMany({ ...which, status: 'waiting' }, { session: tx.session });
    },
  };
}
