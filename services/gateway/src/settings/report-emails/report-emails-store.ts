import { notFound } from '@mp/contracts/errors';
import { type AccountId, type CampaignId, trustedId, type WorkflowId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { nextWeekly, type ReportEmailRow } from './report-email.ts';

type ListFilter = { campaign_id?: CampaignId | null; workflow_id?: WorkflowId | null };
type ReportEmailDocument = Omit<ReportEmailRow, 'id'> & { _id: string };

export type ReportEmailsStore = ReturnType<typeof createReportEmailsStore>;

/** A report email that was sent for the last time is kept for a month. */
const keepSeconds = 30 * 24 * 60 * 60;

/** Owns the `report_emails` collection. */
export function createReportEmailsStore(db: Db) {
  const reports = db.collection<ReportEmailDocument & { over_at?: Date }>('report_emails');

  return {
    prepare: () =>
      prepareCollection(
        reports,
        [
          { key: { account_id: 1, created_at: -1, _id: -1 } },
          { key: { account_id: 1, user_ids: 1 }, name: 'of_user' },
          { key: { next_send_at: 1 }, name: 'due', partialFilterExpression: { next_send_at: { $gt: new Date(0) } } },
          { key: { over_at: 1 }, name: 'expiry', expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<ReportEmailRow> {
      const document = await reports.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return rowFrom(document);
    },

    async find(accountId: AccountId, id: string): Promise<ReportEmailRow | undefined> {
      const document = await reports.findOne({ _id: id, account_id: accountId });
      return document ? rowFrom(document) : undefined;
    },

    /** Newest first. `filter` is part of what a cursor is bound to. */
    async list(
      accountId: AccountId,
      filter: ListFilter,
      { limit, cursor }: { limit: number; cursor: string | undefined },
      cursors: Cursors,
    ) {
      const { items, pagination } = await findPage({
        collection: reports,
        filter: { account_id: accountId, ...filter },
        order: parseSort('-created_at'),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, 'report_emails', filter],
      });
      return { items: items.map(rowFrom), pagination };
    },

    /** Those that are still to be sent. */
    countOpen: (tx: Transaction, accountId: AccountId) =>
      reports.countDocuments({ account_id: accountId, next_send_at: { $ne: null } }, { session: tx.session }),

    async insert(tx: Transaction, { id, ...fields }: ReportEmailRow) {
      await reports.insertOne({ _id: id, ...fields }, { session: tx.session });
    },

    async update(tx: Transaction, { id, account_id, user_ids, send_at, weekly, next_send_at, revision, updated_at }: ReportEmailRow) {
      const change = { user_ids, send_at, weekly, next_send_at, revision, updated_at };
      await reports.updateOne({ _id: id, account_id }, { $set: change, $unset: { over_at: '' } }, { session: tx.session });
    },

    async delete(tx: Transaction, { id, account_id }: Pick<ReportEmailRow, 'id' | 'account_id'>) {
      await reports.deleteOne({ _id: id, account_id }, { session: tx.session });
    },

    /** Removes a user from this report email, or from all; one that nobody gets any more is deleted. Returns whether the user got any. */
    async removeUser(tx: Transaction, accountId: AccountId, userId: string, id?: string): Promise<boolean> {
      const { session } = tx;
      const own = { account_id: accountId, user_ids: userId, ...(id !== undefined && { _id: id }) };
      const { modifiedCount } = await reports.updateMany(own, { $pull: { user_ids: userId }, $inc: { revision: 1 } }, { session });
      if (modifiedCount > 0) await reports.deleteMany({ account_id: accountId, user_ids: { $size: 0 } }, { session });
      return modifiedCount > 0;
    },

    /** Weekly reports keep their time of day when the account has another time zone. */
    async reschedule(tx: Transaction, accountId: AccountId, zone: string, now: Date) {
      const found = await reports
        .find({ account_id: accountId, weekly: { $ne: null }, next_send_at: { $gt: now } }, { session: tx.session })
        .toArray();
      for (const { _id, weekly } of found) {
        if (!weekly) continue;
        await reports.updateOne(
          { _id, account_id: accountId },
          { $set: { next_send_at: nextWeekly(weekly, zone, now) } },
          { session: tx.session },
        );
      }
    },

    /** The one that is due longest, of the accounts that are not excepted. */
    async nextDue(now: Date, exceptAccounts: readonly AccountId[]): Promise<ReportEmailRow | undefined> {
      const due = { next_send_at: { $gt: new Date(0), $lte: now }, account_id: { $nin: [...exceptAccounts] } };
      const [document] = await reports.find(due).sort({ next_send_at: 1 }).limit(1).toArray();
      return document && rowFrom(document);
    },

    /** Sets when it is sent next, unless it has changed since it was read. */
    async moveOn(
      tx: Transaction,
      { id, account_id, next_send_at: before }: ReportEmailRow,
      next_send_at: Date | null,
      now: Date,
    ): Promise<boolean> {
      const { modifiedCount } = await reports.updateOne(
        { _id: id, account_id, next_send_at: before },
        { $set: { next_send_at, ...(next_send_at === null && { over_at: now }) } },
        { session: tx.session },
      );
      return modifiedCount === 1;
    },

    /** How sending it to one user went. */
    async note(accountId: AccountId, id: string, outcome: Partial<Pick<ReportEmailRow, 'last_sent_at' | 'last_failure'>>) {
      await reports.updateOne({ _id: id, account_id: accountId }, { $set: outcome });
    },
  };
}

const rowFrom = ({ _id, over_at: _, ...fields }: ReportEmailDocument & { over_at?: Date }): ReportEmailRow => ({
  id: trustedId<'reportEmail'>(_id),
  ...fields,
});
