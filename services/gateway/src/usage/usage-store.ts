import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** One counter per account and UTC day: a new day is a new id, so nothing is ever reset. */
type UsageDocument = { _id: string; account_id: string; date: string; used: number; expires_at: Date };

export type UsageStore = ReturnType<typeof createUsageStore>;

const keptDays = 400;

/** The only place that knows the `usage` collection. */
export function createUsageStore(db: Db) {
  const usage = db.collection<UsageDocument>('usage', {
    // A counter, not a customer's data: a crash of MongoDB may lose its last moments, and waiting for the journal on
    // every request would cost more than those are worth.
    writeConcern: { w: 1 },
    readConcern: { level: 'local' },
  });

  const row = (accountId: string, date: string) => ({ _id: `${accountId}:${date}`, account_id: accountId, date });
  const expiry = (date: string) => new Date(Date.parse(date) + keptDays * 24 * 60 * 60 * 1_000);

  return {
    prepare: () => prepareCollection(usage, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, date: 1 } }], db),

    /** Counts one request unless that would go over `limit`. Answers how many are used, or undefined when it was refused. */
    async spend(accountId: string, date: string, limit: number): Promise<number | undefined> {
      const { _id, ...fields } = row(accountId, date);
      for (let attempt = 0; ; attempt += 1) {
        try {
          const document = await usage.findOneAndUpdate(
            { _id, used: { $lt: limit } },
            { $inc: { used: 1 }, $setOnInsert: { ...fields, expires_at: expiry(date) } },
            // Only the first try may insert: afterwards a missing match means that the day is spent.
            { upsert: attempt === 0, returnDocument: 'after', projection: { used: 1 } },
          );
          return document?.used;
        } catch (error) {
          if (attempt > 0 || !isDuplicateKey(error)) throw error;
        }
      }
    },

    /** Counts without a limit. */
    async add(accountId: string, date: string, count: number) {
      const { _id, ...fields } = row(accountId, date);
      const counting = () =>
        usage.updateOne({ _id }, { $inc: { used: count }, $setOnInsert: { ...fields, expires_at: expiry(date) } }, { upsert: true });
      await counting().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return counting();
      });
    },

    used: async (accountId: string, date: string) => (await usage.findOne({ _id: `${accountId}:${date}` }))?.used ?? 0,
  };
}
