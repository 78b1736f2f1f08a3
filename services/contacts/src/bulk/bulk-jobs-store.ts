import { notFound } from '@mp/contracts/errors';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { claimable, claimed, type Held, heldBy, oldestFirst } from '@mp/service-kit/job-lease';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { Db } from 'mongodb';
import type { Actor } from '../audit/audit.ts';
import { createLeasedJobs, ended, type JobDocument, jobIndexes, newJob, timesOf } from '../files/leased-jobs.ts';
import { type BulkJob, BulkRequest, type BulkRows, type BulkStatus, bulkRetentionMs, cannotCancel, noRows } from './bulk-job.ts';

type BulkJobDocument = JobDocument & {
  status: BulkStatus;
  /** The request as JSON: its keys, such as `created_at[lt]`, are not valid MongoDB field names. */
  request: string;
  /** Who created it; missing in jobs of earlier releases. */
  actor?: Pick<Actor, 'id' | 'createdBy'>;
  /** All contacts up to this one have been processed; null before the first. */
  after: ContactId | null;
  rows: BulkRows;
  /** When the latest of the emails that the job spreads over time is due. */
  paced_until?: Date | null;
};

/** A job as its worker holds it. */
export type HeldJob = Held & {
  accountId: AccountId;
  request: BulkRequest;
  actor: Actor | undefined;
  after: ContactId | null;
  rows: BulkRows;
  pacedUntil: Date | null;
  createdAt: Date;
};
export type BulkJobsStore = ReturnType<typeof createBulkJobsStore>;

const unfinished: BulkStatus[] = ['queued', 'running'];

/** Owns the `bulk_jobs` collection. */
export function createBulkJobsStore(db: Db, cursors: Cursors) {
  const jobs = db.collection<BulkJobDocument>('bulk_jobs');

  return {
    ...createLeasedJobs<Pick<BulkJobDocument, 'after' | 'rows' | 'paced_until'>>(db, 'bulk_jobs'),

    prepare: () =>
      prepareCollection(
        jobs,
        [
          ...jobIndexes,
          { name: 'unfinished', key: { account_id: 1, status: 1 } },
          { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
        ],
        db,
      ),

    async add(tx: Transaction, { accountId, id, createdBy }: Actor, request: BulkRequest, now = new Date()): Promise<BulkJob> {
      const row: BulkJobDocument = {
        _id: newId('bulk'),
        account_id: accountId,
        status: 'queued',
        request: JSON.stringify(request),
        actor: { id, ...(createdBy !== undefined && { createdBy }) },
        after: null,
        rows: noRows,
        ...newJob(now),
      };
      await jobs.insertOne(row, { session: tx.session });
      return viewOf(row);
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string): Promise<BulkJob> {
      const row = await jobs.findOne({ _id: id, account_id: accountId });
      if (!row) throw notFound();
      return viewOf(row);
    },

    /** Newest first. */
    async list(accountId: AccountId, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const { items, pagination } = await findPage({
        collection: jobs,
        filter: { account_id: accountId },
        order: { field: 'created_at', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['bulk jobs', accountId],
      });
      return { items: items.map(viewOf), pagination };
    },

    /** Throws NOT_FOUND, or INVALID_STATE if the job has ended. */
    async cancel(tx: Transaction, accountId: AccountId, id: string, now = new Date()): Promise<BulkJob> {
      const own = { _id: id, account_id: accountId };
      const $set = ended('cancelled' as const, null, bulkRetentionMs, now);
      const options = { session: tx.session, returnDocument: 'after' } as const;
      const row = await jobs.findOneAndUpdate({ ...own, status: { $in: unfinished } }, { $set }, options);
      if (row) return viewOf(row);
      const known = await jobs.findOne(own, { session: tx.session });
      throw known ? cannotCancel(known.status) : notFound();
    },

    /** Leases the job that has waited longest. */
    async claim(suspended: Suspended, now = new Date()): Promise<HeldJob | undefined> {
      const $set = claimed(now);
      const row = await jobs.findOneAndUpdate(claimable(now, suspended), { $set }, { sort: oldestFirst, returnDocument: 'after' });
      if (!row) return undefined;
      const { _id, account_id, request, actor, after, rows, paced_until: pacedUntil = null, created_at } = row;
      return {
        id: _id,
        accountId: account_id,
        request: requestOf(request),
        actor: actor && { ...actor, accountId: account_id },
        after,
        rows,
        pacedUntil,
        createdAt: created_at,
        lease: $set.lease,
      };
    },

    /** Returns whether this process still held the job. */
    async finish(
      tx: Transaction,
      job: Held,
      { status, error, now = new Date() }: { status: 'completed' | 'failed'; error: BulkJobDocument['error']; now?: Date },
    ) {
      const { matchedCount } = await jobs.updateOne(
        heldBy(job),
        { $set: ended(status, error, bulkRetentionMs, now) },
        { session: tx.session },
      );
      return matchedCount === 1;
    },
  };
}

const requestOf = (text: string) => BulkRequest.parse(JSON.parse(text));

function viewOf({ _id, status, request, rows, error, ...times }: BulkJobDocument): BulkJob {
  const { select, action, tag = null, segment_id = null, workflow_id = null, form_id = null, ...asked } = requestOf(request);
  const { values = null, start_workflows, dry_run } = asked;
  return {
    id: _id,
    status,
    select,
    action,
    tag,
    segment_id,
    workflow_id,
    form_id,
    values,
    start_workflows,
    dry_run,
    rows,
    error,
    results_url: `/v2/contacts/bulk/${_id}/results.csv`,
    ...timesOf(times),
  };
}
