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

  const usedSoFar = async (_id: string) => (await usage.findOne({ _id }, { projection: { used: 1 } }))?.used ?? 0;

  return {
    prepare: () => prepareCollection(usage, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, date: 1 } }], db),

    /** Counts up to `wanted` requests, as many as still go below `limit`, and answers how many and what is used with them. */
    async spend(accountId: string, date: string, limit: number, wanted: number): Promise<{ granted: number; used: number }> {
      const { _id, ...fields } = row(accountId, date);
      let asked = Math.min(wanted, limit);
      // Only the first try may insert: that it meets a row says that there are fewer left than asked for.
      for (let upsert = true; ; upsert = false) {
        const document = await usage
          .findOneAndUpdate(
            { _id, used: { $lte: limit - asked } },
            { $inc: { used: asked }, $setOnInsert: { ...fields, expires_at: expiry(date) } },
            { upsert, returnDocument: 'after', projection: { used: 1 } },
          )
          .catch((error: unknown) => {
            if (upsert && isDuplicateKey(error)) return null;
            throw error;
          });
        if (document) return { granted: asked, used: document.used };
        const used = await usedSoFar(_id);
        asked = Math.min(wanted, limit - used);
        if (asked <= 0) return { granted: 0, used };
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

    used: (accountId: string, date: string) => usedSoFar(row(accountId, date)._id),
  };
}
