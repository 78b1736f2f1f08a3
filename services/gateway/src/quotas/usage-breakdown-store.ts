import type { AccountId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection } from '@mp/service-kit/mongo';
import { type Db, type Filter, MongoBulkWriteError } from 'mongodb';
import { type DateRange, usageExpiry } from './daily-usage-store.ts';

/** The dimension by which a day's requests are broken down. */
export type BreakdownBy = 'credential' | 'route_class';

type BreakdownRow = { account_id: AccountId; date: string; of: BreakdownBy; name: string; requests: number };
type BreakdownDocument = BreakdownRow & { _id: string; expires_at: Date };

export type UsageBreakdownStore = ReturnType<typeof createUsageBreakdownStore>;

/** Owns the `usage_shares` collection: a day's requests by credential and by route class. */
export function createUsageBreakdownStore(db: Db) {
  const rows = db.collection<BreakdownDocument>('usage_shares', { writeConcern: { w: 1 }, readConcern: { level: 'local' } });

  return {
    prepare: () =>
      prepareCollection(
        rows,
        [
          { key: { expires_at: 1 }, expireAfterSeconds: 0 },
          { key: { account_id: 1, of: 1, date: -1, _id: -1 } },
          { key: { account_id: 1, of: 1, name: 1, date: -1, _id: -1 } },
        ],
        db,
      ),

    /** Adds to the stored counts. Returns the rows that could not be written, to be retried. */
    async add(counted: readonly BreakdownRow[]): Promise<readonly BreakdownRow[]> {
      if (counted.length === 0) return [];
      const operations = counted.map(({ requests, ...fields }) => ({
        updateOne: {
          filter: { _id: [fields.account_id, fields.date, fields.of, fields.name].join(':') },
          update: { $inc: { requests }, $setOnInsert: { ...fields, expires_at: usageExpiry(fields.date) } },
          upsert: true,
        },
      }));
      try {
        await rows.bulkWrite(operations, { ordered: false });
        return [];
      } catch (error) {
        // Two gateways inserted the same row at once: one of them retries.
        if (error instanceof MongoBulkWriteError && [error.writeErrors].flat().length > 0) {
          return [error.writeErrors].flat().flatMap(({ index }) => counted[index] ?? []);
        }
        throw error;
      }
    },

    list(
      accountId: AccountId,
      { of, name, from, to }: DateRange & { of: BreakdownBy; name: string | undefined },
      { limit, cursor }: { limit: number; cursor: string | undefined },
      cursors: Cursors,
    ) {
      const filter: Filter<BreakdownDocument> = { account_id: accountId, of, ...(name !== undefined && { name }) };
      if (from !== undefined || to !== undefined)
        filter.date = { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) };
      const boundTo = [accountId, 'usage_shares', of, name, from, to];
      return findPage({ collection: rows, filter, order: parseSort('-date'), limit, cursor, cursors, boundTo });
    },
  };
}
