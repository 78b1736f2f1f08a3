import type { Background } from '@mp/service-kit/parts';
import { LRUCache } from 'lru-cache';
import { spendTogether } from './spend-together.ts';
import type { UsageStore } from './usage-store.ts';

export type DailyQuota = ReturnType<typeof createDailyQuota>;

const flushMs = 1_000;

/**
 * The requests an account makes in a day. With a limit each one is counted in the database before it is admitted, by
 * atomic updates, so any number of gateways together never admits more and never refuses too early. Without a limit
 * there is nothing to decide: those are counted in memory and written once a second.
 */
export function createDailyQuota({ usage, onError }: { usage: UsageStore; onError: (error: unknown) => void }) {
  /** What each account had used of which day when last counted, for answers that charge nothing. */
  const lastSeen = new LRUCache<string, { date: string; used: number }>({ max: 50_000 });
  /** Days that are known to be spent, with the limit they were spent under: a plan change asks again. */
  const spent = new LRUCache<string, number>({ max: 50_000 });
  const spend = spendTogether(usage);
  let uncounted = new Map<string, { accountId: string; date: string; count: number }>();
  let timer: NodeJS.Timeout | undefined;

  async function flush() {
    const batch = uncounted;
    uncounted = new Map();
    for (const { accountId, date, count } of batch.values()) {
      await usage.add(accountId, date, count).catch((error: unknown) => {
        addUncounted(accountId, date, count);
        onError(error);
      });
    }
  }

  function addUncounted(accountId: string, date: string, count: number) {
    const key = `${accountId}:${date}`;
    const entry = uncounted.get(key);
    if (entry) entry.count += count;
    else uncounted.set(key, { accountId, date, count });
  }

  const background: Background = {
    start() {
      timer = setInterval(() => void flush(), flushMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };

  return {
    ...background,

    /** How many are used with this one, or undefined when the day is spent. */
    async spend(accountId: string, date: string, limit: number): Promise<number | undefined> {
      const key = `${accountId}:${date}`;
      if ((spent.get(key) ?? Number.NEGATIVE_INFINITY) >= limit) return undefined;
      const used = await spend(accountId, date, limit);
      if (used === undefined) spent.set(key, limit);
      lastSeen.set(accountId, { date, used: used ?? limit });
      return used;
    },

    count: (accountId: string, date: string) => addUncounted(accountId, date, 1),

    /** What was used when this gateway last counted; undefined when it has not counted today. */
    lastSeen(accountId: string, date: string): number | undefined {
      const entry = lastSeen.get(accountId);
      return entry?.date === date ? entry.used : undefined;
    },

    used: async (accountId: string, date: string) =>
      (await usage.used(accountId, date)) + (uncounted.get(`${accountId}:${date}`)?.count ?? 0),
  };
}
