import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { backoff, pause } from '@mp/service-kit/backoff';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import { createRunner, type Runner } from '@mp/service-kit/runner';

/** After this time another account's job gets its turn. */
export const turnMs = 5_000;
const maxAttempts = 8;
const unavailableMs = 1_000;

type JobError = { code: string; message: string };

type Jobs<Job> = {
  logger: Logger;
  noun: 'import' | 'export' | 'bulk job';
  /** Removes what finished jobs left behind. */
  clear: () => Promise<void>;
  claim: () => Promise<Job | undefined>;
  /**
   * Works for up to `turnMs`. True when nothing is left to do, at least for this process. May throw SERVICE_UNAVAILABLE of a service
   * it reads from, to be retried, and INVALID_STATE of a segment, which ends the job.
   */
  work: (job: Job, signal: AbortSignal) => Promise<boolean>;
  /** How often work on it has failed since it last made progress; undefined if another process now holds it. */
  attemptsOf: (job: Job) => Promise<number | undefined>;
  release: (job: Job, delayMs?: number) => Promise<void>;
  fail: (job: Job, error: JobError) => Promise<void>;
  /** The error message of a job that failed repeatedly because of an internal error. */
  givenUp: string;
};

/** Processes jobs one turn at a time. A failed job is retried with growing delays; it is given up if it makes no progress. */
export function createJobRunner<Job extends { id: string; accountId: AccountId }>({
  logger,
  noun,
  clear,
  claim,
  work,
  attemptsOf,
  release,
  fail,
  givenUp,
}: Jobs<Job>): Runner {
  const failing = createFailureLog(logger, `work on one of the ${noun}s failed`, { recoveredAfter: 10 });
  return createRunner({
    logger,
    warning: `work on ${noun}s failed; retrying`,
    backoffMs: { first: 100, max: 5_000 },
    async work(signal) {
      await clear();
      const job = await claim();
      if (!job) return false;
      noteInLogs({ account_id: job.accountId });
      try {
        if (!(await work(job, signal))) await release(job);
        failing.succeeded();
      } catch (error) {
        if (isMongoUnavailable(error)) throw error;
        // The job waits for the service it reads from, however long that takes.
        if (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE') {
          await pause(unavailableMs, signal);
          await release(job);
          return true;
        }
        if (error instanceof ApiError && error.code === 'INVALID_STATE') {
          await fail(job, { code: 'segment_unavailable', message: error.message });
          return true;
        }
        const before = await attemptsOf(job);
        if (before === undefined) {
          failing.failed(error, { [noun]: job.id, next: 'another process holds it' });
          return true;
        }
        const attempt = before + 1;
        if (attempt < maxAttempts) {
          failing.failed(error, { [noun]: job.id, attempt, next: 'retrying' });
          await release(job, 500 + backoff(before, 500, 30_000));
        } else {
          logger.error({ err: error, [noun]: job.id }, `${noun} failed permanently`);
          await fail(job, { code: 'internal_error', message: givenUp });
        }
      }
      return true;
    },
  });
}
