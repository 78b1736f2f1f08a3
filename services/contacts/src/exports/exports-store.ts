import { notFound } from '@mp/contracts/errors';
import { type AccountId, type ContactId, newId, type SegmentId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import type { Cursors } from '@mp/service-kit/cursor';
import { blocked, claimable, claimed, type Held, heldBy, oldestFirst } from '@mp/service-kit/job-lease';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { Db } from 'mongodb';
import type { AttributeType } from '../attributes/attribute-type.ts';
import { Selection } from '../bulk/bulk-job.ts';
import { createLeasedJobs, ended, type JobDocument, jobIndexes, newJob, timesOf } from '../files/leased-jobs.ts';
import { type Export, type ExportFormat, type ExportStatus, fileKeptMs } from './export.ts';

type ExportDocument = JobDocument & {
  status: ExportStatus;
  format: ExportFormat;
  rule: Rule | null;
  /** Absent in exports of earlier versions. */
  filter?: { segment_id: SegmentId; as_of: string } | null;
  /** The selection as JSON: its keys, such as `created_at[lt]`, are not valid MongoDB field names. Absent in exports of earlier versions. */
  select?: string | null;
  /** Whether consents have their evidence. Absent in exports of earlier versions. */
  evidence?: boolean;
  /** The attributes the account had when the export began: columns of a CSV file. */
  attributes: { key: string; type: AttributeType }[];
  /** The last contact in the file so far; null before the first. `bytes` is the size of the file so far. */
  after: ContactId | null;
  bytes: number;
  rows: number;
};

export type ExportJob = Pick<ExportDocument, 'format' | 'rule' | 'filter' | 'evidence' | 'attributes' | 'after' | 'bytes' | 'rows'> &
  Held & { accountId: AccountId; select: Selection | null; createdAt: Date };
export type ExportsStore = ReturnType<typeof createExportsStore>;

/** Owns the `exports` collection. */
export function createExportsStore(db: Db, cursors: Cursors) {
  const exports = db.collection<ExportDocument>('exports');

  return {
    ...createLeasedJobs<Pick<ExportDocument, 'after' | 'bytes' | 'rows'>>(db, 'exports'),

    prepare: () =>
      prepareCollection(
        exports,
        [...jobIndexes, { name: 'unfinished', key: { account_id: 1, status: 1 } }, { name: 'expired', key: { expires_at: 1, _id: 1 } }],
        db,
      ),

    async add(
      tx: Transaction,
      accountId: AccountId,
      input: Pick<ExportDocument, 'format' | 'rule' | 'filter' | 'select' | 'evidence' | 'attributes'>,
      now = new Date(),
    ) {
      const row: ExportDocument = {
        _id: newId('export'),
        account_id: accountId,
        status: 'queued',
        ...input,
        after: null,
        bytes: 0,
        rows: 0,
        ...newJob(now),
      };
      await exports.insertOne(row, { session: tx.session });
      return viewOf(row);
    },

    /** Throws NOT_FOUND, even if it has expired. */
    async get(accountId: AccountId, id: string, now = new Date()): Promise<Export> {
      const row = await exports.findOne({ _id: id, account_id: accountId });
      if (!row || (row.expires_at && row.expires_at <= now)) throw notFound();
      return viewOf(row);
    },

    /** Newest first, without expired ones. */
    async list(accountId: AccountId, { limit, cursor }: { limit: number; cursor?: string | undefined }, now = new Date()) {
      const { items, pagination } = await findPage({
        collection: exports,
        filter: { account_id: accountId, expires_at: { $not: { $lte: now } } },
        order: { field: 'created_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['exports', accountId],
      });
      return { items: items.map(viewOf), pagination };
    },

    /** Leases the export that has waited longest. */
    async claim(suspended: Suspended, now = new Date()): Promise<ExportJob | undefined> {
      const $set = claimed(now);
      const row = await exports.findOneAndUpdate(claimable(now, suspended), { $set }, { sort: oldestFirst, returnDocument: 'after' });
      if (!row) return undefined;
      const { _id, account_id, format, rule, filter = null, select, evidence = false, attributes, after, bytes, rows, created_at } = row;
      const selection = select ? Selection.parse(JSON.parse(select)) : null;
      const progress = { after, bytes, rows, lease: $set.lease, createdAt: created_at };
      return { id: _id, accountId: account_id, format, rule, filter, select: selection, evidence, attributes, ...progress };
    },

    /** Ends the leases on the account's exports, so that no process writes contacts it read before this call. */
    async interrupt(accountId: AccountId, now = new Date()) {
      await exports.updateMany(
        { account_id: accountId, status: 'running', lease: { $ne: null } },
        { $set: { lease: null, lease_until: now } },
      );
    },

    /** Deletes a finished export, and restarts an unfinished one after its file chunks have been removed. */
    async withdraw(accountId: AccountId, id: string, now = new Date()) {
      const restarted = { status: 'queued', after: null, bytes: 0, rows: 0, ...blocked(now) } as const;
      await exports.updateOne({ _id: id, account_id: accountId, status: { $in: ['queued', 'running'] } }, { $set: restarted });
      await exports.deleteOne({ _id: id, account_id: accountId, status: { $in: ['completed', 'failed'] } });
    },

    /** Expired exports, oldest first. */
    async expired(now = new Date()): Promise<{ id: string; accountId: AccountId }[]> {
      const over = await exports
        .find({ expires_at: { $lte: now } }, { projection: { account_id: 1 } })
        .sort({ expires_at: 1 })
        .limit(20)
        .toArray();
      return over.map(({ _id, account_id }) => ({ id: _id, accountId: account_id }));
    },

    async forget(accountId: AccountId, id: string) {
      await exports.deleteOne({ _id: id, account_id: accountId });
    },

    /** Returns whether this process still held the export. */
    async finish(
      tx: Transaction,
      job: Held,
      { status, error = null, now = new Date() }: { status: 'completed' | 'failed'; error?: ExportDocument['error']; now?: Date },
    ) {
      const { matchedCount } = await exports.updateOne(
        heldBy(job),
        { $set: ended(status, error, fileKeptMs, now) },
        { session: tx.session },
      );
      return matchedCount === 1;
    },
  };
}

const viewOf = ({ _id, status, format, filter, rows, bytes, error, ...times }: ExportDocument): Export => ({
  id: _id,
  status,
  format,
  filter: filter ?? null,
  rows,
  bytes,
  download_url: status === 'completed' ? `/v2/contacts/exports/${_id}/file` : null,
  error,
  ...timesOf(times),
});
