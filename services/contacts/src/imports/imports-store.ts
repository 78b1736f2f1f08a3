import type { ConsentStatus } from '@mp/contracts/contact';
import { notFound } from '@mp/contracts/errors';
import { type AccountId, type ContactId, newId, type SegmentId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { claimable, claimed, type Held, heldBy, oldestFirst } from '@mp/service-kit/job-lease';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { Db, Filter } from 'mongodb';
import type { MatchOn } from '../contacts/matching.ts';
import { createLeasedJobs, ended, type JobDocument, jobIndexes, newJob, timesOf } from '../files/leased-jobs.ts';
import {
  type Import,
  type ImportFormat,
  type ImportRows,
  type ImportStatus,
  maxUnfinished,
  noRows,
  tooManyUnfinished,
  unfinishedStatuses,
  unmatchedColumn,
} from './import.ts';

type ImportDocument = JobDocument & {
  status: ImportStatus;
  format: ImportFormat;
  match_on: MatchOn;
  /** Absent in imports created before this option existed. */
  change_identifiers?: boolean;
  default_consent?: ConsentStatus | null;
  add_to_segment_id?: SegmentId | null;
  /** The contacts of the last chunk, which have yet to be added to the segment. */
  to_add?: ContactId[];
  dry_run: boolean;
  /** Absent in imports created before this option existed. */
  start_workflows?: boolean;
  /** The columns of a table, and the field each fills: two lists, because a column name may not be a valid field name. */
  header: string[] | null;
  targets: (string | null)[] | null;
  /** The columns, from 0, that match no field and were not mapped to null. */
  unmatched?: number[];
  delimiter: string;
  bytes: number;
  /** The byte at which the next row starts. Written in one transaction with the rows before it. */
  offset: number;
  rows: ImportRows;
  /** The import has ended, but its file has not been removed yet. */
  has_file?: boolean;
};

export type ImportJob = Omit<ImportDocument, '_id' | 'account_id' | 'lease'> & Held & { accountId: AccountId };
export type ImportsStore = ReturnType<typeof createImportsStore>;
export type NewImport = Required<
  Pick<
    ImportDocument,
    'format' | 'match_on' | 'change_identifiers' | 'default_consent' | 'dry_run' | 'start_workflows' | 'add_to_segment_id'
  >
>;

const keptMs = 30 * 24 * 60 * 60 * 1_000;
/** An upload without progress for this long was interrupted together with the process that received it. */
const uploadSilenceMs = 10 * 60_000;

/** Owns the `imports` collection. */
export function createImportsStore(db: Db, cursors: Cursors) {
  const imports = db.collection<ImportDocument>('imports');

  async function end(
    tx: Transaction,
    {
      which,
      status,
      error = null,
      now = new Date(),
    }: { which: Filter<ImportDocument>; status: 'completed' | 'failed' | 'cancelled'; error?: ImportDocument['error']; now?: Date },
  ): Promise<Import | undefined> {
    const row = await imports.findOneAndUpdate(
      which,
      { $set: { ...ended(status, error, keptMs, now), has_file: true }, $unset: { to_add: '' } },
      { session: tx.session, returnDocument: 'after' },
    );
    return row ? viewOf(row) : undefined;
  }

  return {
    ...createLeasedJobs<Pick<ImportDocument, 'offset' | 'rows' | 'to_add'>>(db, 'imports'),

    prepare: () =>
      prepareCollection(
        imports,
        [
          ...jobIndexes,
          { name: 'unended', key: { account_id: 1, status: 1 } },
          { name: 'files', key: { has_file: 1 }, partialFilterExpression: { has_file: true } },
          { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
        ],
        db,
      ),

    /** Throws RATE_LIMITED if the account has too many unfinished imports. */
    async begin(accountId: AccountId, input: NewImport, now = new Date()): Promise<string> {
      const _id = newId('import');
      await imports.insertOne({
        _id,
        account_id: accountId,
        status: 'uploading',
        ...input,
        header: null,
        targets: null,
        delimiter: ',',
        bytes: 0,
        offset: 0,
        rows: noRows,
        ...newJob(now),
      });
      // Counted after inserting, so that imports started at the same time cannot exceed the limit together.
      const unended = await imports.countDocuments({ account_id: accountId, status: { $in: [...unfinishedStatuses] } });
      if (unended <= maxUnfinished) return _id;
      await imports.deleteOne({ _id });
      throw tooManyUnfinished();
    },

    /** Records that the upload is making progress. */
    async touch(id: string, bytes: number) {
      await imports.updateOne({ _id: id, status: 'uploading' }, { $set: { bytes, touched_at: new Date() } });
    },

    /** The whole file has arrived, and the import can be processed. */
    async queue(
      id: string,
      file: Pick<ImportDocument, 'bytes' | 'header' | 'targets' | 'unmatched' | 'delimiter' | 'offset'>,
    ): Promise<Import> {
      const row = await imports.findOneAndUpdate(
        { _id: id, status: 'uploading' },
        { $set: { ...file, status: 'queued', touched_at: new Date() } },
        { returnDocument: 'after' },
      );
      if (!row) throw notFound();
      return viewOf(row);
    },

    async discard(id: string) {
      await imports.deleteOne({ _id: id, status: 'uploading' });
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<Import> {
      const row = await imports.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!row) throw notFound();
      return viewOf(row);
    },

    /** The columns of its file; null for NDJSON. Throws NOT_FOUND. */
    async headerOf(accountId: AccountId, id: string): Promise<string[] | null> {
      const row = await imports.findOne({ _id: id, account_id: accountId }, { projection: { header: 1 } });
      if (!row) throw notFound();
      return row.header;
    },

    async list(accountId: AccountId, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const { items, pagination } = await findPage({
        collection: imports,
        filter: { account_id: accountId },
        order: { field: 'created_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['imports', accountId],
      });
      return { items: items.map(viewOf), pagination };
    },

    /** Leases the import that has waited longest. */
    async claim(suspended: Suspended, now = new Date()): Promise<ImportJob | undefined> {
      const $set = claimed(now);
      const row = await imports.findOneAndUpdate(claimable(now, suspended), { $set }, { sort: oldestFirst, returnDocument: 'after' });
      if (!row) return undefined;
      const { _id, account_id, ...job } = row;
      return { ...job, id: _id, accountId: account_id, lease: $set.lease };
    },

    /** Undefined if this process no longer holds the import, or it has already ended. */
    finish: (tx: Transaction, job: Held, status: 'completed' | 'failed', error: ImportDocument['error'] = null) =>
      end(tx, { which: heldBy(job), status, error }),

    /** Works regardless of the lease. Undefined if the import has already ended. */
    cancel: (tx: Transaction, id: string) => end(tx, { which: { _id: id, status: { $in: ['queued', 'running'] } }, status: 'cancelled' }),

    /** Imports that have ended but still have their file. */
    async withFiles(): Promise<{ id: string; accountId: AccountId }[]> {
      const ended = await imports
        .find({ has_file: true }, { projection: { account_id: 1 } })
        .limit(20)
        .toArray();
      return ended.map(({ _id, account_id }) => ({ id: _id, accountId: account_id }));
    },

    async fileRemoved(id: string) {
      await imports.updateOne({ _id: id }, { $unset: { has_file: '' } });
    },

    /** Uploads that were interrupted together with the process that received them. */
    async cutOff(now = new Date()): Promise<{ id: string; accountId: AccountId }[]> {
      const silent = await imports
        .find({ status: 'uploading', touched_at: { $lt: new Date(now.getTime() - uploadSilenceMs) } })
        .limit(20)
        .toArray();
      return silent.map(({ _id, account_id }) => ({ id: _id, accountId: account_id }));
    },
  };
}

const viewOf = ({
  _id,
  account_id,
  header,
  targets,
  delimiter,
  offset,
  touched_at,
  lease,
  lease_until,
  attempts,
  has_file,
  consequences,
  to_add,
  change_identifiers = false,
  default_consent = null,
  add_to_segment_id = null,
  start_workflows = true,
  unmatched = [],
  ...shown
}: ImportDocument): Import => ({
  id: _id,
  ...shown,
  change_identifiers,
  default_consent,
  add_to_segment_id,
  start_workflows,
  delimiter: header && delimiter,
  warnings: unmatched.map((index) => unmatchedColumn(header?.[index] ?? '')),
  mapping: header && targets && Object.fromEntries(header.map((name, index) => [name, targets[index] ?? null])),
  progress: shown.status === 'completed' ? 1 : shown.bytes === 0 ? 0 : Math.round((offset / shown.bytes) * 1_000) / 1_000,
  errors_url: shown.rows.failed > 0 ? `/v2/contacts/imports/${_id}/errors.csv` : null,
  ...timesOf(shown),
});
