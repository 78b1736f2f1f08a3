import type { Position } from '@mp/contracts/position';
import type { AccountId } from '@mp/ids';
import { type Held, heldBy, type Leased, noLease, queueIndex, released, renewed } from '@mp/service-kit/job-lease';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db, Filter } from 'mongodb';

type JobError = { code: string; message: string };

/** What is known about the consequences of a job that has ended: the position to wait for, or the mark to ask for it again. */
export type KnownConsequences = { mark?: string; position?: Position; applied_at?: Date };

/** The fields that imports, exports and bulk jobs share. */
export type JobDocument = Leased & {
  _id: string;
  account_id: AccountId;
  error: JobError | null;
  created_at: Date;
  finished_at: Date | null;
  expires_at: Date | null;
  consequences?: KnownConsequences;
};

export const jobIndexes = [{ name: 'created_at', key: { account_id: 1, created_at: 1, _id: 1 } }, queueIndex] as const;

/** The shared fields of a new job. */
export const newJob = (now: Date) => ({ error: null, created_at: now, finished_at: null, expires_at: null, ...noLease(now) });

/** The shared fields of a job that has ended and is kept for a while. */
export const ended = <Status extends string>(status: Status, error: JobError | null, keptMs: number, now: Date) => ({
  status,
  error,
  lease: null,
  finished_at: now,
  expires_at: new Date(now.getTime() + keptMs),
});

/** The shared times of a job, as responses have them. */
export const timesOf = ({ created_at, finished_at, expires_at }: Pick<JobDocument, 'created_at' | 'finished_at' | 'expires_at'>) => ({
  created_at: created_at.toISOString(),
  completed_at: finished_at?.toISOString() ?? null,
  expires_at: expires_at?.toISOString() ?? null,
});

/** One row per account and kind of job, written before counting: of two concurrent transactions, one restarts and counts the other's job. */
type JobTurnDocument = { _id: string; account_id: AccountId; taken: number };

export const prepareJobTurns = (db: Db) => prepareCollection(db.collection<JobTurnDocument>('job_turns'), [{ key: { account_id: 1 } }], db);

/** What a process does with a job that it holds. `Progress` is what it saves of its progress. */
export function createLeasedJobs<Progress extends object>(db: Db, collection: 'imports' | 'exports' | 'bulk_jobs') {
  const jobs = db.collection<JobDocument>(collection);
  const turns = db.collection<JobTurnDocument>('job_turns');
  return {
    /** Whether the account has fewer unfinished jobs than `max`. Transactions of the account that ask this take turns. */
    async hasRoom(tx: Transaction, accountId: AccountId, max: number): Promise<boolean> {
      const turn = { $set: { account_id: accountId }, $inc: { taken: 1 } };
      await turns.updateOne({ _id: `${accountId} ${collection}` }, turn, { session: tx.session, upsert: true });
      const unfinished: Filter<JobDocument> = { account_id: accountId, status: { $in: ['queued', 'running'] } };
      return (await jobs.countDocuments(unfinished, { session: tx.session, limit: max })) < max;
    },

    /** Records progress in the transaction of the work. False if this process no longer holds the job, or the job has ended. */
    async advance(tx: Transaction, job: Held, progress: Progress, now = new Date()): Promise<boolean> {
      const { matchedCount } = await jobs.updateOne(heldBy(job), { $set: { ...progress, ...renewed(now) } }, { session: tx.session });
      return matchedCount === 1;
    },

    async release(job: Held, delayMs = 0, now = new Date()) {
      await jobs.updateOne(heldBy(job), released(delayMs, now));
    },

    consequencesOf: async (accountId: AccountId, id: string): Promise<KnownConsequences> =>
      (await jobs.findOne({ _id: id, account_id: accountId }, { projection: { consequences: 1 } }))?.consequences ?? {},

    async keepConsequences(accountId: AccountId, id: string, consequences: KnownConsequences) {
      await jobs.updateOne({ _id: id, account_id: accountId }, { $set: { consequences } });
    },

    /** How often work on it has failed since it last made progress; undefined if another process now holds it. */
    async attemptsOf(job: Held): Promise<number | undefined> {
      return (await jobs.findOne(heldBy(job), { projection: { attempts: 1 } }))?.attempts;
    },
  };
}
