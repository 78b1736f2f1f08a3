import { LRUCache } from 'lru-cache';

type Rate = { perSecond: number; burst: number };

/** The tokens of a bucket that had `tokens` at the time `since`. A clock that is set back neither adds nor removes any. */
export const refilled = ({ tokens, since }: { tokens: number; since: number }, { perSecond, burst }: Rate, now: number): number =>
  Math.min(burst, tokens + (Math.max(0, now - since) * perSecond) / 1_000);

/** One token bucket per key, in this process. The least recently used ones are forgotten, and are then full again. */
export function createTokenBuckets({ max, ...rate }: Rate & { max: number }, now = Date.now) {
  const { perSecond, burst } = rate;
  const buckets = new LRUCache<string, { tokens: number; since: number }>({ max });

  function filled(key: string, count: number) {
    const since = now();
    const tokens = refilled(buckets.get(key) ?? { tokens: burst, since }, rate, since);
    const missing = Math.min(count, burst) - tokens;
    return { since, tokens, wait: missing > 0 ? Math.ceil(missing / perSecond) : 0 };
  }

  return {
    /** Takes tokens and returns 0; or takes none and returns the seconds until there are enough. */
    take(key: string, count: number): number {
      const { since, tokens, wait } = filled(key, count);
      buckets.set(key, { tokens: wait > 0 ? tokens : tokens - count, since });
      return wait;
    },

    /** Returns tokens that should not have been taken. */
    giveBack(key: string, count: number) {
      const bucket = buckets.get(key);
      if (bucket) bucket.tokens = Math.min(burst, bucket.tokens + count);
    },

    /** The seconds until there are enough tokens; takes none. */
    wait: (key: string, count: number): number => filled(key, count).wait,
  };
}
