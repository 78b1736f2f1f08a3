import type { AccountId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import type { Db, Filter } from 'mongodb';

/**
 * One counter per account and UTC day. A new day has a new id, so nothing is ever reset. `holders` are the gateways that
 * have reserved blocks; `used` includes these.
 */
type UsageDocument = { _id: string; account_id: AccountId; date: string; used: number; holders?: Record<string, Date>; expires_at: Date };

export type DateRange = { from: string | undefined; to: string | undefined };

/** Requests to count and to reserve for a gateway, `holder`, out of a day's limit. */
type BlockRequest = { accountId: AccountId; date: string; limit: number; needed: number; more: number; holder: string };

export type DailyUsageStore = ReturnType<typeof createDailyUsageStore>;

const keptDays = 400;
export const usageExpiry = (date: string) => new Date(Date.parse(date) + keptDays * 24 * 60 * 60 * 1_000);

/** Owns the `usage` collection. */
export function createDailyUsageStore(db: Db) {
  const usage = db.collection<UsageDocument>('usage', {
    // A counter, not customer data: losing its last moments in a MongoDB crash is cheaper than waiting for the journal on
    // every request.
    writeConcern: { w: 1 },
    readConcern: { level: 'local' },
  });

  const row = (accountId: AccountId, date: string) => ({ _id: `${accountId}:${date}`, account_id: accountId, date });

  async function state(accountId: AccountId, date: string, holder: string) {
    const document = await usage.findOne({ _id: row(accountId, date)._id }, { projection: { used: 1, holders: 1 } });
    const holders = Object.keys(document?.holders ?? {});
    return { used: document?.used ?? 0, othersHold: holders.some((other) => other !== holder) };
  }

  return {
    prepare: () =>
      prepareCollection(usage, [{ key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1, date: -1, _id: -1 } }], db),

    /**
     * Counts `needed` requests and reserves `more`, or counts as many of the needed ones as fit below `limit`. Returns how
     * many, the new total, and whether other gateways hold unused blocks.
     */
    async take({ accountId, date, limit, needed, more, holder }: BlockRequest) {
      const { _id, ...fields } = row(accountId, date);
      const mark = `holders.${holder}`;
      let requested = Math.min(needed + more, limit);
      // Only the first attempt may insert. If it finds a row instead, not enough requests are left.
      for (let upsert = true; requested > 0; upsert = false) {
        const document = await usage
          .findOneAndUpdate(
            { _id, used: { $lte: limit - requested } },
            {
              $inc: { used: requested },
              ...(requested > needed && { $set: { [mark]: new Date() } }),
              $setOnInsert: { ...fields, expires_at: usageExpiry(date) },
            },
            { upsert, returnDocument: 'after', projection: { used: 1 } },
          )
          .catch((error: unknown) => {
            if (upsert && isDuplicateKey(error)) return null;
            throw error;
          });
        if (document) return { granted: requested, used: document.used, othersHold: false };
        const { used, othersHold } = await state(accountId, date, holder);
        requested = Math.min(needed, limit - used);
        if (requested <= 0) return { granted: 0, used, othersHold };
      }
      return { granted: 0, used: 0, othersHold: false };
    },

    /** Subtracts the unused part of a gateway's block. */
    async giveBack(accountId: AccountId, date: string, count: number, holder: string) {
      const { _id } = row(accountId, date);
      await usage.updateOne({ _id }, { $inc: { used: -count }, $unset: { [`holders.${holder}`]: '' } });
    },

    /** Counts requests without a limit. */
    async add(accountId: AccountId, date: string, count: number) {
      const { _id, ...fields } = row(accountId, date);
      const counting = () =>
        usage.updateOne({ _id }, { $inc: { used: count }, $setOnInsert: { ...fields, expires_at: usageExpiry(date) } }, { upsert: true });
      await counting().catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return counting();
      });
    },

    used: async (accountId: AccountId, date: string) =>
      (await usage.findOne({ _id: row(accountId, date)._id }, { projection: { used: 1 } }))?.used ?? 0,

    /** The requests of each day, newest first. */
    async list(
      accountId: AccountId,
      { from, to }: DateRange,
      { limit, cursor }: { limit: number; cursor: string | undefined },
      cursors: Cursors,
    ) {
      const filter: Filter<UsageDocument> = { account_id: accountId };
      if (from !== undefined || to !== undefined)
        filter.date = { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) };
      const boundTo = [accountId, 'usage', from, to];
      return findPage({ collection: usage, filter, order: parseSort('-date'), limit, cursor, cursors, boundTo });
    },
  };
}
