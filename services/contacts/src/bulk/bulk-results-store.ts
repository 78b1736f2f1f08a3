import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { type BulkResult, bulkRetentionMs } from './bulk-job.ts';

/** The results of the contacts that one transaction processed. */
type BulkResultsDocument = { _id: string; account_id: AccountId; job_id: string; first: number; results: BulkResult[]; expires_at: Date };

/** Results are written before their job ends, which is when its retention begins. */
const keptMs = bulkRetentionMs + 7 * 24 * 60 * 60 * 1_000;
const expiry = () => new Date(Date.now() + keptMs);

export type BulkResultsStore = ReturnType<typeof createBulkResultsStore>;

/** Owns the `bulk_results` collection. Results name contacts by id only. */
export function createBulkResultsStore(db: Db) {
  const chunks = db.collection<BulkResultsDocument>('bulk_results');

  return {
    async prepare() {
      await prepareCollection(
        chunks,
        [
          { name: 'job', key: { account_id: 1, job_id: 1, first: 1 } },
          { name: 'expires', key: { expires_at: 1 }, expireAfterSeconds: 0 },
        ],
        db,
      );
      // Version 0.1.0 wrote none.
      await chunks.updateMany({ expires_at: { $exists: false } }, { $set: { expires_at: expiry() } });
    },

    /** `first` is the number of results that the job already has. */
    async add(tx: Transaction, accountId: AccountId, { jobId, first, results }: { jobId: string; first: number; results: BulkResult[] }) {
      if (results.length === 0) return;
      const row = { _id: `${jobId} ${first}`, account_id: accountId, job_id: jobId, first, results, expires_at: expiry() };
      await chunks.insertOne(row, { session: tx.session });
    },

    /** In the order in which the contacts were processed. */
    async *read(accountId: AccountId, jobId: string): AsyncGenerator<BulkResult> {
      for await (const { results } of chunks.find({ account_id: accountId, job_id: jobId }).sort({ first: 1 })) yield* results;
    },
  };
}
