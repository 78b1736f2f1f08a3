import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type LeaseDocument = { _id: string; owner: string; until: Date };

export type LeasesStore = ReturnType<typeof createLeasesStore>;

/** Leases on accounts. They only avoid duplicate work; correctness does not depend on them. */
export function createLeasesStore(db: Db) {
  const leases = db.collection<LeaseDocument>('leases');
  return {
    prepare: () => prepareCollection(leases, [], db),

    /** Takes or renews the lease. Returns false if another owner holds it. */
    async take(_id: string, owner: string, ms: number): Promise<boolean> {
      const now = Date.now();
      try {
        await leases.updateOne(
          { _id, $or: [{ owner }, { until: { $lt: new Date(now) } }] },
          { $set: { owner, until: new Date(now + ms) } },
          { upsert: true, writeConcern: { w: 1 } },
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    async release(_id: string, owner: string) {
      await leases.deleteOne({ _id, owner }, { writeConcern: { w: 1 } });
    },
  };
}
