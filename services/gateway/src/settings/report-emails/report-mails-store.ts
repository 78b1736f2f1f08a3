import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { createMailQueue, dueIndex, type QueuedMail, waitingMail } from '../mails/mail-queue.ts';
import type { ReportEmailRow } from './report-email.ts';

export type ReportMail = QueuedMail & { report_id: string; user_id: string; created_at: Date };

export type ReportMailsStore = ReturnType<typeof createReportMailsStore>;

const keepSeconds = 30 * 24 * 60 * 60;

/** Owns the `report_mails` collection: one report to one user at one time, sent once. */
export function createReportMailsStore(db: Db) {
  const mails = db.collection<ReportMail>('report_mails');
  const idOf = (reportId: string, at: Date, userId: string) => `${reportId} ${at.toISOString()} ${userId}`;

  return {
    prepare: () =>
      prepareCollection(
        mails,
        [
          { key: { account_id: 1, report_id: 1, user_id: 1 }, name: 'of_report' },
          dueIndex,
          { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** One email for each user, once for the same report and time. */
    async add(tx: Transaction, { id, account_id, user_ids }: ReportEmailRow, at: Date, now: Date) {
      const rows = user_ids.map(
        (user_id): ReportMail => ({
          ...{ _id: idOf(id, at, user_id), account_id, report_id: id, user_id, created_at: now },
          ...waitingMail(now),
        }),
      );
      if (rows.length > 0) await mails.insertMany(rows, { session: tx.session });
    },

    queue: createMailQueue(mails),

    /** Withdraws what waits of a report, or of one user of it. */
    async withdraw(tx: Transaction, accountId: AccountId, { report_id, user_id }: { report_id?: string; user_id?: string }) {
      const which = { account_id: accountId, ...(report_id !== undefined && { report_id }), ...(user_id !== undefined && { user_id }) };
      await mails.deleteMany({ ...which, status: 'waiting' }, { session: tx.session });
    },
  };
}
