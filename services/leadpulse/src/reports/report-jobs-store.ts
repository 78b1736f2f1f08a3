import { createHash, randomInt } from 'node:crypto';
import { ApiError, notFound } from '@mp/contracts/errors';
import { type AccountId, newId } from '@mp/ids';
import { claimable, claimed, extended, type Held, heldBy, type Leased, noLease, released } from '@mp/service-kit/job-lease';
import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { ReportJob } from './report-job.ts';
import type { ReportKind } from './report-kinds.ts';

type JobDocument = Leased & {
  _id: string;
  account_id: AccountId;
  /** The same report is one job while it is kept. */
  fingerprint: string;
  kind: ReportKind;
  status: ReportJob['status'];
  /** As text, because the keys of a request may contain dots and dollar signs. */
  request: string;
  result: string | null;
  error: string | null;
  created_at: Date;
  completed_at: Date | null;
  expires_at: Date;
  /** While it waits or runs, one of the account's places; two jobs never have the same. Missing in jobs of version 0.1.0. */
  place?: number;
};

export type ReportJobsStore = ReturnType<typeof createReportJobsStore>;
export type ClaimedJob = Held & { accountId: AccountId; kind: ReportKind; request: object; attempts: number };

const keptMs = 24 * 60 * 60 * 1_000;
export const jobLeaseMs = 60_000;
const maxWaiting = 20;
const maxAttempts = 3;

/** A completed report is reused for this long, because events of its range still arrive. */
const freshMs = 5 * 60_000;

/** How long a result can still be read after a newer one has replaced it. */
const replacedMs = 60 * 60_000;

const tooMany = () =>
  new ApiError('RATE_LIMITED', `An account can have at most ${maxWaiting} reports waiting; try again when one has finished.`, {
    retryAfter: 10,
  });

/** Owns the `report_jobs` collection. Every query names the account, except those of the queue. */
export function createReportJobsStore(db: Db) {
  const jobs = db.collection<JobDocument>('report_jobs');

  /** A free slot of the account, chosen at random because others choose at the same time. Throws RATE_LIMITED if there is none. */
  async function freePlace(accountId: AccountId): Promise<number> {
    const taken = await jobs.distinct('place', { account_id: accountId, place: { $exists: true } });
    const free = Array.from({ length: maxWaiting }, (_, place) => place).filter((place) => !taken.includes(place));
    const place = free[randomInt(Math.max(1, free.length))];
    if (place === undefined) throw tooMany();
    return place;
  }

  /** Stores the job in a free slot, or returns the job of the same report that another request has stored. */
  async function insert(job: JobDocument): Promise<JobDocument> {
    for (;;) {
      const placed = { ...job, place: await freePlace(job.account_id) };
      try {
        await jobs.insertOne(placed);
        return placed;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const twin = await jobs.findOne({ account_id: job.account_id, fingerprint: job.fingerprint });
        if (twin) return twin;
      }
    }
  }

  return {
    prepare: () =>
      prepareCollection(
        jobs,
        [
          { name: 'fingerprint', key: { account_id: 1, fingerprint: 1 }, unique: true },
          { name: 'place', key: { account_id: 1, place: 1 }, unique: true, partialFilterExpression: { place: { $exists: true } } },
          { name: 'queue', key: { status: 1, lease_until: 1 } },
          { name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 },
        ],
        db,
      ),

    /** Queues a report, or returns the job of the same report that waits, runs or has just completed. Throws RATE_LIMITED if too many wait. */
    async queue(accountId: AccountId, kind: ReportKind, request: object, now = new Date()): Promise<ReportJob> {
      const text = JSON.stringify(request);
      const fingerprint = createHash('sha256').update(`${kind} ${text}`).digest('base64url');
      const same = { account_id: accountId, fingerprint };
      const known = await jobs.findOne(same);
      if (known?.completed_at && now.getTime() - known.completed_at.getTime() > freshMs)
        await jobs.updateOne(
          { _id: known._id, ...same },
          { $set: { fingerprint: known._id, expires_at: new Date(now.getTime() + replacedMs) } },
        );
      else if (known) return viewOf(known);
      const job = await insert({
        _id: newId('report'),
        ...same,
        kind,
        status: 'queued',
        request: text,
        result: null,
        error: null,
        ...noLease(now),
        created_at: now,
        completed_at: null,
        expires_at: new Date(now.getTime() + keptMs),
      });
      return viewOf(job);
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string): Promise<ReportJob> {
      const job = await jobs.findOne({ _id: id, account_id: accountId });
      if (!job) throw notFound();
      return viewOf(job);
    },

    /** Claims the job that has waited longest. The claim ends automatically if it is not renewed. */
    async claim(now = new Date()): Promise<ClaimedJob | undefined> {
      const $set = claimed(now, jobLeaseMs);
      // At the claim, so that an attempt that ended with its process counts, too.
      const claim = { $set, $inc: { attempts: 1 } };
      const job = await jobs.findOneAndUpdate(claimable(now), claim, { sort: { lease_until: 1 }, returnDocument: 'after' });
      if (!job) return undefined;
      const { _id, account_id, kind, request, attempts } = job;
      return { id: _id, lease: $set.lease, accountId: account_id, kind, request: JSON.parse(request), attempts };
    },

    async renew(job: ClaimedJob) {
      await jobs.updateOne(ownedBy(job), { $set: extended(new Date(), jobLeaseMs) });
    },

    async complete(job: ClaimedJob, result: object) {
      const done = { status: 'completed' as const, result: JSON.stringify(result), completed_at: new Date() };
      await jobs.updateOne(ownedBy(job), { $set: done, $unset: noPlace });
    },

    /** Lets the job be claimed again, or marks it as failed after the last attempt. The next request for the same report is then a new job. */
    async fail(job: ClaimedJob, reason: string, final: boolean) {
      const failed = { status: 'failed' as const, error: reason, completed_at: new Date(), fingerprint: job.id };
      const isLast = final || job.attempts >= maxAttempts;
      await jobs.updateOne(ownedBy(job), isLast ? { $set: failed, $unset: noPlace } : released(0, new Date()));
    },
  };
}

const noPlace = { place: '' as const };

const ownedBy = (job: ClaimedJob) => ({ ...heldBy(job), account_id: job.accountId });

const viewOf = ({ _id, kind, status, request, result, error, created_at, completed_at, expires_at }: JobDocument): ReportJob => ({
  id: _id,
  kind,
  status,
  request: JSON.parse(request),
  result: result === null ? null : JSON.parse(result),
  error,
  created_at: created_at.toISOString(),
  completed_at: completed_at?.toISOString() ?? null,
  expires_at: expires_at.toISOString(),
});
