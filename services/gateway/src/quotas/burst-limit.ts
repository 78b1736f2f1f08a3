import type { AccountId } from '@mp/ids';
import { refilled } from '@mp/service-kit/token-buckets';
import { LRUCache } from 'lru-cache';
import type { Limits } from './plans.ts';

type Bucket = { tokens: number; since: number; running: number };

export type BurstLimit = ReturnType<typeof createBurstLimit>;

/** Admitted, with the requests left this second; or rejected, with the limit that was exceeded. */
export type Admission = { remaining: number } & (
  | { admitted: true; leave: () => void }
  | { admitted: false; reason: string; limit: number }
);

/**
 * A token bucket per account, and a limit on its concurrent requests. In memory and per gateway: it protects the platform
 * from bursts of one account and is not used for billing.
 */
export function createBurstLimit(now: () => number) {
  const buckets = new LRUCache<string, Bucket>({ max: 50_000 });

  function bucketOf(accountId: AccountId, { perSecond, depth }: Limits): Bucket {
    const since = now();
    const bucket = buckets.get(accountId);
    if (!bucket) {
      const full = { tokens: depth, since, running: 0 };
      buckets.set(accountId, full);
      return full;
    }
    bucket.tokens = refilled(bucket, { perSecond, burst: depth }, since);
    bucket.since = since;
    return bucket;
  }

  return {
    enter(accountId: AccountId, limits: Limits): Admission {
      const bucket = bucketOf(accountId, limits);
      const remaining = Math.min(limits.perSecond, Math.max(0, Math.floor(bucket.tokens) - 1));
      if (bucket.running >= limits.concurrency) {
        return { admitted: false, remaining, reason: `At most ${limits.concurrency} concurrent requests`, limit: limits.concurrency };
      }
      if (bucket.tokens < 1) {
        return { admitted: false, remaining: 0, reason: `At most ${limits.perSecond} requests per second`, limit: limits.perSecond };
      }
      bucket.tokens -= 1;
      bucket.running += 1;
      const leave = () => {
        bucket.running -= 1;
      };
      return { admitted: true, remaining, leave };
    },
  };
}
