import type { AccountId } from '@mp/ids';
import { isDuplicateKey, prepareCollection } from '@mp/service-kit/mongo';
import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import type { StoredSite } from '../sites/site.ts';
import { dayMs } from '../time/quarters.ts';

type SiteDayDocument = { _id: string; account_id: AccountId; reserved: number; expires_at: Date };

/** A busy site reserves its events in blocks, at most a hundredth of its maximum, so that not every request writes. */
const maxBlock = 1_000;
const blocksPerDay = 100;
const maxSiteDays = 10_000;

export type SiteDaysStore = ReturnType<typeof createSiteDaysStore>;

/** Owns the `site_days` collection: the events that sites have reserved on a UTC day. Never exceeds their maximum. */
export function createSiteDaysStore(db: Db) {
  const days = db.collection<SiteDayDocument>('site_days');
  /** Reserved and not yet used, by site and day. Lost when the process ends. */
  const unused = new LRUCache<string, number>({ max: maxSiteDays });

  async function reserve(_id: string, { account_id, max_events_per_day }: StoredSite, count: number, expires_at: Date): Promise<boolean> {
    if (count > max_events_per_day) return false;
    try {
      await days.updateOne(
        { _id, account_id, reserved: { $lte: max_events_per_day - count } },
        { $inc: { reserved: count }, $setOnInsert: { expires_at } },
        { upsert: true, writeConcern: { w: 1 } },
      );
      return true;
    } catch (error) {
      // The row exists, but has fewer events left than are to be reserved.
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    prepare: () => prepareCollection(days, [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }], db),

    /** Counts events of a site. Returns false, and counts none, if they would exceed the maximum of the day. */
    async take(site: StoredSite, count: number, now: number): Promise<boolean> {
      const day = Math.floor(now / dayMs);
      const id = `${site.id} ${day}`;
      const expiry = new Date((day + 2) * dayMs);
      if ((unused.get(id) ?? 0) < count) {
        const block = Math.max(count, Math.min(maxBlock, Math.ceil(site.max_events_per_day / blocksPerDay)));
        const reserved = (await reserve(id, site, block, expiry)) ? block : (await reserve(id, site, count, expiry)) ? count : 0;
        if (reserved === 0) return false;
        unused.set(id, (unused.get(id) ?? 0) + reserved);
      }
      unused.set(id, (unused.get(id) ?? 0) - count);
      return true;
    },
  };
}
