import { LRUCache } from 'lru-cache';

export type TokenBuckets = ReturnType<typeof createTokenBuckets>;

/** One token bucket per key, in this process. The least recently used ones are forgotten, and are then full again. */
export function createTokenBuckets({ perSecond, burst, max }: { perSecond: number; burst: number; max: number }, now = Date.now) {
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max });

  function filled(key: string, count: number) {
    const at = now();
    const bucket = buckets.get(key) ?? { tokens: burst, at };
    const tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) * perSecond) / 1_000);
    const missing = Math.min(count, burst) - tokens;
    return { at, tokens, wait: missing > 0 ? Math.ceil(missing / perSecond) : 0 };
  }

  return {
    /** Takes tokens and returns 0; or takes none and returns the seconds until there are enough. */
    take(key: string, count: number): number {
      const { at, tokens, wait } = filled(key, count);
      buckets.set(key, { tokens: wait > 0 ? tokens : tokens - count, at });
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
