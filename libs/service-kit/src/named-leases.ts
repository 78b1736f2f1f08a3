import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import { isDuplicateKey, prepareCollection } from './mongo.ts';

type LeaseDocument = { _id: string; owner: string; until: Date };

export type NamedLeases = ReturnType<typeof createNamedLeases>;

/** Leases on names, such as account IDs. They only avoid duplicate work; correctness does not depend on them. */
export function createNamedLeases(db: Db, collection: string) {
  const leases = db.collection<LeaseDocument>(collection);
  const owner = randomUUID();
  return {
    prepare: () => prepareCollection(leases, [], db),

    /** Takes or renews the lease. Returns false if another process holds it. */
    async take(_id: string, leaseMs: number): Promise<boolean> {
      const now = Date.now();
      try {
        await leases.updateOne(
          { _id, $or: [{ owner }, { until: { $lt: new Date(now) } }] },
          { $set: { owner, until: new Date(now + leaseMs) } },
          { upsert: true, writeConcern: { w: 1 } },
        );
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    async release(_id: string) {
      await leases.deleteOne({ _id, owner }, { writeConcern: { w: 1 } });
    },
  };
}
