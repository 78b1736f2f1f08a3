import { backoff } from '@mp/service-kit/backoff';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoAway } from '@mp/service-kit/mongo';
import { createRunner, type Runner } from '@mp/service-kit/runner';

/** After this long another account's job has its turn. */
export const turnMs = 5_000;
const attemptsMax = 8;

type JobError = { code: string; message: string };

type Jobs<Job> = {
  logger: Logger;
  /** What one is called. */
  noun: 'import' | 'export';
  /** Removes what jobs that are over left behind. */
  clear: () => Promise<void>;
  claim: () => Promise<Job | undefined>;
  /** Works for `turnMs` at most. True when nothing of the job is left to do, for this process at least. */
  work: (job: Job, signal: AbortSignal) => Promise<boolean>;
  /** How often work on it has failed since it last went on; undefined when it is in other hands. */
  attemptsOf: (job: Job) => Promise<number | undefined>;
  release: (job: Job, delayMs?: number) => Promise<void>;
  fail: (job: Job, error: JobError) => Promise<void>;
  /** Said of a job that failed again and again for a reason of ours. */
  givenUp: string;
};

/** Works off jobs a turn at a time. One that breaks off is tried again, later and later, as long as it does not go on at all. */
export function createJobRunner<Job extends { id: string }>({
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
  const failing = createFailureLog(logger, `work on an ${noun} failed`, { recoveredAfter: 10 });
  return createRunner({
    logger,
    warning: `work on ${noun}s failed; trying on`,
    backoffMs: { first: 100, most: 5_000 },
    async work(signal) {
      await clear();
      const job = await claim();
      if (!job) return false;
      try {
        if (!(await work(job, signal))) await release(job);
        failing.succeeded();
      } catch (error) {
        if (isMongoAway(error)) throw error;
        const before = await attemptsOf(job);
        if (before === undefined) {
          failing.failed(error, { [noun]: job.id, next: 'another process has it' });
          return true;
        }
        const attempt = before + 1;
        if (attempt < attemptsMax) {
          failing.failed(error, { [noun]: job.id, attempt, next: 'retrying' });
          await release(job, 500 + backoff(before, 500, 30_000));
        } else {
          logger.error({ err: error, [noun]: job.id }, `${noun} given up`);
          await fail(job, { code: 'internal_error', message: givenUp });
        }
      }
      return true;
    },
  });
}
