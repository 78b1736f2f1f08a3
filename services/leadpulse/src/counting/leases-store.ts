import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

type LeaseDocument = { _id: string; owner: string; until: Date };

export type LeasesStore = ReturnType<typeof createLeasesStore>;

/** Who works on what for a while. A lease only saves work: nothing depends on it for being right. */
export function createLeasesStore(db: Db) {
  const leases = db.collection<LeaseDocument>('leases');
  return {
    prepare: () => prepareCollection(leases, [], db),

    /** Takes or keeps the lease; false when another holds it. */
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
