import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { secretHash } from '../../credentials/secret-hash.ts';

/** Failed attempts to guess something. `_id` is a hash, because users may type a password as their email address. */
type AttemptDocument = { _id: string; failures: number; last_at: Date; expires_at: Date };

export type AttemptsStore = ReturnType<typeof createAttemptsStore>;

/** What is counted, and how many failures are allowed before waiting starts. */
export type Guarded = { key: string; free: number };

const maxWaitMs = 15 * 60 * 1_000;
const keptMs = 24 * 60 * 60 * 1_000;

/** The wait in ms: none for the allowed failures, then 1 s, 2 s, 4 s … up to 15 minutes. */
export const waitAfter = (failures: number, free: number) =>
  failures < free ? 0 : Math.min(maxWaitMs, 1_000 * 2 ** Math.min(20, failures - free));

/** Owns the `sign_in_attempts` collection. Not per account, because the caller is not yet known. */
export function createAttemptsStore(db: Db) {
  const attempts = db.collection<AttemptDocument>('sign_in_attempts');

  /** Counts one attempt, unless it is too early or another one is being counted. Returns the wait in ms; 0: counted. */
  async function count({ key, free }: Guarded, now: Date): Promise<number> {
    const _id = secretHash(key);
    const had = await attempts.findOne({ _id });
    const counted = { last_at: now, expires_at: new Date(now.getTime() + keptMs) };
    if (!had) {
      return attempts.insertOne({ _id, failures: 1, ...counted }).then(
        () => 0,
        (error: unknown) => {
          if (isDuplicateKey(error)) return 1_000;
          throw error;
        },
      );
    }
    const left = had.last_at.getTime() + waitAfter(had.failures, free) - now.getTime();
    if (left > 0) return left;
    const { modifiedCount } = await attempts.updateOne(
      { _id, failures: had.failures, last_at: had.last_at },
      { $set: counted, $inc: { failures: 1 } },
    );
    return modifiedCount === 1 ? 0 : 1_000;
  }

  return {
    prepare: () => prepareCollection(attempts, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }], db),

    /** Counts an attempt before it is made, so that parallel attempts are counted too. Returns seconds to wait; 0: proceed. */
    async begin(guarded: readonly Guarded[], now: Date): Promise<number> {
      for (const each of guarded) {
        const wait = await count(each, now);
        if (wait > 0) return Math.ceil(wait / 1_000);
      }
      return 0;
    },

    /** Clears the failures after a successful attempt. */
    async forget(guarded: readonly Guarded[]) {
      await attempts.deleteMany({ _id: { $in: guarded.map(({ key }) => secretHash(key)) } });
    },
  };
}
