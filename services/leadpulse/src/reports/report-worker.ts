import { ApiError } from '@mp/contracts/errors';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import { type ClaimedJob, jobLeaseMs, type ReportJobsStore } from './report-jobs-store.ts';
import { prepareReport, type ReportStores } from './report-kinds.ts';

/** The maximum number of events that a job reads. */
export const maxJobEvents = 20_000_000;

type Deps = { jobs: ReportJobsStore; stores: ReportStores; logger: Logger; renewEveryMs?: number };

/** Runs queued reports, one at a time in each process. After a crash, another process runs the report again. */
export function createReportWorker({ jobs, stores, logger, renewEveryMs = jobLeaseMs / 3 }: Deps): Runner {
  /** The lease is renewed by time, not by progress: the database may sort for minutes before it returns the first event. */
  async function whileRenewing<T>(job: ClaimedJob, run: () => Promise<T>): Promise<T> {
    const renew = () => jobs.renew(job).catch((err: unknown) => logger.warn({ err, report: job.id }, 'cannot renew the lease of a report'));
    const renewing = setInterval(() => void renew(), renewEveryMs);
    try {
      return await run();
    } finally {
      clearInterval(renewing);
    }
  }

  async function runNext(): Promise<boolean> {
    const job = await jobs.claim();
    if (!job) return false;
    noteInLogs({ account_id: job.accountId });
    try {
      const report = prepareReport(job.kind, job.request);
      const found = await report.size(stores, job.accountId, maxJobEvents + 1);
      if (found > maxJobEvents)
        throw new ApiError('VALIDATION_ERROR', `The report would read more than ${maxJobEvents} events; use a shorter range.`);
      await jobs.complete(job, await whileRenewing(job, () => report.run(stores, job.accountId)));
    } catch (error) {
      if (isMongoUnavailable(error)) throw error;
      const isRejected = error instanceof ApiError;
      if (!isRejected) logger.error({ err: error, report: job.id }, 'a report failed');
      await jobs.fail(job, isRejected ? error.message : 'An unexpected error on our side.', isRejected);
    }
    return true;
  }
  return createRunner({ logger, warning: 'reading the queue of reports failed; retrying', work: runNext });
}
