import { ApiError, notFound } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, listQuery } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { maxSavedReports, type SavedReport } from './saved-report.ts';

/** `report` is text, because its keys may contain dots. */
type SavedReportDocument = Pick<SavedReport, 'name' | 'days' | 'revision'> & {
  _id: string;
  account_id: AccountId;
  report: string;
  created_at: Date;
  updated_at: Date;
};

export const ListSavedReportsQuery = z.strictObject(listQuery);

export type SavedReportsStore = ReturnType<typeof createSavedReportsStore>;

/** Owns the `saved_reports` collection. Every query names the account. */
export function createSavedReportsStore(db: Db, cursors: Cursors) {
  const reports = db.collection<SavedReportDocument>('saved_reports');

  return {
    prepare: () => prepareCollection(reports, [{ name: 'created_at', key: { account_id: 1, created_at: 1, _id: 1 } }], db),

    /** Throws PLAN_LIMIT_EXCEEDED if the account has too many saved reports. */
    async insert(tx: Transaction, accountId: AccountId, report: SavedReport) {
      const present = await reports.countDocuments({ account_id: accountId }, { session: tx.session });
      if (present >= maxSavedReports)
        throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxSavedReports} saved reports; delete one first.`);
      await reports.insertOne(documentOf(accountId, report), { session: tx.session });
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<SavedReport> {
      const row = await reports.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!row) throw notFound();
      return savedReportOf(row);
    },

    async replace(tx: Transaction, accountId: AccountId, report: SavedReport) {
      await reports.replaceOne({ _id: report.id, account_id: accountId }, documentOf(accountId, report), { session: tx.session });
    },

    async remove(tx: Transaction, accountId: AccountId, id: string) {
      await reports.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
    },

    async list(accountId: AccountId, { limit, cursor }: z.output<typeof ListSavedReportsQuery>) {
      const { items, pagination } = await findPage({
        collection: reports,
        filter: { account_id: accountId },
        order: { field: 'created_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['saved reports', accountId],
      });
      return { items: items.map(savedReportOf), pagination };
    },
  };
}

const documentOf = (
  account_id: AccountId,
  { id, name, days, report, revision, created_at, updated_at }: SavedReport,
): SavedReportDocument => ({
  _id: id,
  ...{ account_id, name, days, revision },
  report: JSON.stringify(report),
  created_at: new Date(created_at),
  updated_at: new Date(updated_at),
});

const savedReportOf = ({ _id, name, days, report, revision, created_at, updated_at }: SavedReportDocument): SavedReport => ({
  id: _id,
  ...{ name, days, revision },
  report: JSON.parse(report),
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});
