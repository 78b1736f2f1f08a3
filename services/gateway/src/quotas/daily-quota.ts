import type { AccountId } from '@mp/ids';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import { LRUCache } from 'lru-cache';
import type { DailyUsageStore } from './daily-usage-store.ts';
import { createQuotaBlocks } from './quota-blocks.ts';
import { createWriteBehind } from './write-behind.ts';

export type DailyQuota = ReturnType<typeof createDailyQuota>;

type DailyQuotaConfig = {
  usage: Pick<DailyUsageStore, 'take' | 'giveBack' | 'add' | 'used'>;
  onError: (error: unknown) => void;
  /** A monotonic clock in ms; the wall clock may be set back. */
  now?: () => number;
};

/** While the database is unavailable, each gateway admits this share of the limit and counts it afterwards. */
const allowedWhileUnavailable = 0.01;
/** How long the database is considered unavailable before retrying. */
const unavailableMs = 1_000;
/** How long a quota counts as exhausted if a crashed gateway may still hold some of it. */
const recheckMs = 1_000;

/**
 * Counts the requests of each account per UTC day. With a limit, each request is counted in the database before it is
 * admitted, so that any number of gateways together never admits more and never rejects too early. Without a limit,
 * requests are counted in memory and written once a second.
 */
export function createDailyQuota({ usage, onError, now = () => performance.now() }: DailyQuotaConfig) {
  /** What each account had used, and on which day, when last counted; for responses that do not charge the quota. */
  const lastSeen = new LRUCache<string, { date: string; used: number }>({ max: 50_000 });
  /** Days known to be exhausted, with the limit at that time: a higher limit is checked again. */
  const exhausted = new LRUCache<string, { limit: number; until: number }>({ max: 50_000 });
  /** Requests admitted per day while the database was unavailable. */
  const passed = new LRUCache<string, number>({ max: 50_000 });
  const quotaBlocks = createQuotaBlocks({ usage, onError });
  let uncounted = new Map<string, { accountId: AccountId; date: string; count: number }>();
  let unavailable: { error: unknown; until: number } | undefined;

  async function write() {
    const batch = uncounted;
    uncounted = new Map();
    let unavailable = false;
    for (const { accountId, date, count } of batch.values()) {
      // Skip the rest: each write would wait for the same timeout.
      if (unavailable) addUncounted(accountId, date, count);
      else
        await usage.add(accountId, date, count).catch((error: unknown) => {
          addUncounted(accountId, date, count);
          onError(error);
          unavailable = isMongoUnavailable(error);
        });
    }
  }

  function addUncounted(accountId: AccountId, date: string, count: number) {
    const key = `${accountId}:${date}`;
    const entry = uncounted.get(key);
    if (entry) entry.count += count;
    else uncounted.set(key, { accountId, date, count });
  }

  /** Admits one hundredth of the limit without the database, then throws `error`. */
  function admitWhileUnavailable(accountId: AccountId, date: string, limit: number, error: unknown): number {
    const key = `${accountId}:${date}`;
    const so = passed.get(key) ?? 0;
    if (so >= Math.floor(limit * allowedWhileUnavailable)) throw error;
    if (so === 0) onError(error);
    passed.set(key, so + 1);
    addUncounted(accountId, date, 1);
    return Math.min(limit, (seen(accountId, date) ?? 0) + 1);
  }

  function see(accountId: AccountId, date: string, used: number) {
    const entry = lastSeen.get(accountId);
    if (!entry) return void lastSeen.set(accountId, { date, used });
    entry.date = date;
    entry.used = used;
  }

  const seen = (accountId: AccountId, date: string) => {
    const entry = lastSeen.get(accountId);
    return entry?.date === date ? entry.used : undefined;
  };

  const isExhausted = (accountId: AccountId, date: string, limit: number) => {
    const known = exhausted.get(`${accountId}:${date}`);
    return known !== undefined && known.limit >= limit && known.until > now();
  };

  const markExhausted = (accountId: AccountId, date: string, limit: number, isFinal: boolean) =>
    exhausted.set(`${accountId}:${date}`, { limit, until: isFinal ? Number.POSITIVE_INFINITY : now() + recheckMs });

  async function count(accountId: AccountId, date: string, limit: number): Promise<number | undefined> {
    if (unavailable && unavailable.until > now() && quotaBlocks.held(accountId, date) === 0)
      return admitWhileUnavailable(accountId, date, limit, unavailable.error);
    try {
      return await quotaBlocks.spend(accountId, date, limit, markExhausted);
    } catch (error) {
      if (!isMongoUnavailable(error)) throw error;
      unavailable = { error, until: now() + unavailableMs };
      return admitWhileUnavailable(accountId, date, limit, error);
    }
  }

  async function requestBlock(accountId: AccountId, date: string, limit: number): Promise<number | undefined> {
    const used = isExhausted(accountId, date, limit) ? undefined : await count(accountId, date, limit);
    see(accountId, date, used ?? limit);
    return used;
  }

  const writeBehind = createWriteBehind({ everyMs: 1_000, write });

  return {
    ...writeBehind,
    async stop() {
      await quotaBlocks.stop();
      await writeBehind.stop();
    },

    /** Charges one request. Returns how many are used, synchronously if it was counted in advance; undefined if exhausted. */
    spend(accountId: AccountId, date: string, limit: number): number | Promise<number | undefined> {
      const used = quotaBlocks.tryCharge(accountId, date, limit, markExhausted);
      if (used === undefined) return requestBlock(accountId, date, limit);
      see(accountId, date, used);
      return used;
    },

    count: (accountId: AccountId, date: string) => addUncounted(accountId, date, 1),

    /** What was used when this gateway last counted; undefined if it has not counted today. */
    lastSeen: seen,

    /** How many requests are used. For a busy account with several gateways, up to two seconds old. */
    async used(accountId: AccountId, date: string): Promise<number> {
      const counted = quotaBlocks.used(accountId, date) ?? (await usage.used(accountId, date));
      return counted + (uncounted.get(`${accountId}:${date}`)?.count ?? 0);
    },
  };
}
