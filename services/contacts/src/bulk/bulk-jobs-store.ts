import { notFound } from '@mp/contracts/errors';
import { type AccountId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { Db } from 'mongodb';
import {
  claimable,
  claimed,
  type Held,
  heldBy,
  type Leased,
  noLease,
  oldestFirst,
  queueIndex,
  released,
  renewed,
} from '../files/job-lease.ts';
import { type BulkJob, BulkRequest, type BulkRows, type BulkStatus, cannotCancel, keptSeconds, noRows } from './bulk-job.ts';

type BulkJobDocument = Leased & {
  _id: string;
  account_id: AccountId;
  status: BulkStatus;
  /** The request as JSON: its keys, such as `created_at[lt]`, are no names of MongoDB fields. */
  request: string;
  /** All contacts up to this one have been processed; null before the first. */
  after: string | null;
  rows: BulkRows;
  error: { code: string; message: string } | null;
  created_at: Date;
  finished_at: Date | null;
  expires_at: Date | null;
};

/** A job as its worker holds it. */
export type HeldJob = Held & { accountId: AccountId; request: BulkRequest; after: string | null; rows: BulkRows; createdAt: Date };
export type BulkJobsStore = ReturnType<typeof createBulkJobsStore>;

const unfinished: BulkStatus[] = ['queued', 'running'];

/** Owns the `bulk_jobs` collection. */
export function createBulkJobsStore(db: Db, cursors: Cursors) {
  const jobs = db.collection<BulkJobDocument>('bulk_jobs');
  const ended = (now: Date) => ({ lease: null, finished_at: now, expires_at: new Date(now.getTime() + keptSeconds * 1_000) });

  return {
    prepare: () =>
      prepareCollection(
        jobs,
        [
          { name: 'created_at', key: { account_id: 1, created_at: 1, _id: 1 } },
          { name: 'unfinished', key: { account_id: 1, status: 1 } },
          queueIndex,
          { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
        ],
        db,
      ),

    countUnfinished: (accountId: AccountId, tx: Transaction) =>
      jobs.countDocuments({ account_id: accountId, status: { $in: unfinished } }, { session: tx.session }),

    async add(tx: Transaction, accountId: AccountId, request: BulkRequest, now = new Date()): Promise<BulkJob> {
      const row: BulkJobDocument = {
        _id: newId('bulk'),
        account_id: accountId,
        status: 'queued',
        request: JSON.stringify(request),
        after: null,
        rows: noRows,
        error: null,
        created_at: now,
        finished_at: null,
        expires_at: null,
        ...noLease(now),
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
      const $set = { status: 'cancelled' as const, ...ended(now) };
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
      const { _id, account_id, request, after, rows, created_at } = row;
      return { id: _id, accountId: account_id, request: requestOf(request), after, rows, createdAt: created_at, lease: $set.lease };
    },

    /** Records progress in the transaction that changes the contacts. False if this process no longer holds the job. */
    async advance(tx: Transaction, { after, rows, ...job }: HeldJob, now = new Date()): Promise<boolean> {
      const { matchedCount } = await jobs.updateOne(heldBy(job), { $set: { after, rows, ...renewed(now) } }, { session: tx.session });
      return matchedCount === 1;
    },

    async release(job: Held, delayMs = 0, now = new Date()) {
      await jobs.updateOne(heldBy(job), released(delayMs, now));
    },

    /** How often work on it has failed since it last made progress; undefined if another process now holds it. */
    async attemptsOf(job: Held): Promise<number | undefined> {
      return (await jobs.findOne(heldBy(job), { projection: { attempts: 1 } }))?.attempts;
    },

    async finish(job: Held, status: 'completed' | 'failed', error: BulkJobDocument['error'] = null, now = new Date()) {
      await jobs.updateOne(heldBy(job), { $set: { status, error, ...ended(now) } });
    },
  };
}

const requestOf = (text: string) => BulkRequest.parse(JSON.parse(text));

function viewOf({ _id, status, request, rows, error, created_at, finished_at, expires_at }: BulkJobDocument): BulkJob {
  const { select, action, tag = null, segment_id = null, values = null, dry_run } = requestOf(request);
  return {
    id: _id,
    status,
    select,
    action,
    tag,
    segment_id,
    values,
    dry_run,
    rows,
    error,
    results_url: `/v2/contacts/bulk/${_id}/results.csv`,
    created_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    expires_at: expires_at?.toISOString() ?? null,
  };
}
