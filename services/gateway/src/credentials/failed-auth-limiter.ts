import { ApiError } from '@mp/contracts/errors';
import { networkOf } from '@mp/service-kit/client-address';
import { LRUCache } from 'lru-cache';

export type FailedAuthLimiter = ReturnType<typeof createFailedAuthLimiter>;

const maxPerMinute = 100;
const minuteMs = 60_000;

/**
 * Counts wrong credentials per address and minute; missing and malformed ones do not count. An address over the limit must
 * wait before it may try passwords or other guessable secrets. Valid keys cannot be guessed and always work.
 */
export function createFailedAuthLimiter(now: () => number) {
  const counts = new LRUCache<string, { since: number; count: number }>({ max: 100_000 });

  const current = (address: string) => {
    const entry = counts.get(networkOf(address));
    return entry && Math.abs(now() - entry.since) < minuteMs ? entry : undefined;
  };

  return {
    count(address: string) {
      const entry = current(address);
      if (entry) entry.count += 1;
      else counts.set(networkOf(address), { since: now(), count: 1 });
    },

    /** Seconds until this address may try again; 0: now. */
    waitOf(address: string): number {
      const entry = current(address);
      return entry && entry.count >= maxPerMinute ? Math.max(1, Math.ceil((entry.since + minuteMs - now()) / 1_000)) : 0;
    },
  };
}

/** Counts a wrong key, token or session. Throws RATE_LIMITED if there have been too many from this address. */
export function countFailedAuth(address: string, failedAuths: FailedAuthLimiter) {
  const wait = failedAuths.waitOf(address);
  failedAuths.count(address);
  refuse(wait);
}

/** Throws RATE_LIMITED if this address must wait. */
export const refuseIfBlocked = (address: string, failedAuths: FailedAuthLimiter) => refuse(failedAuths.waitOf(address));

function refuse(wait: number) {
  if (wait > 0) throw new ApiError('RATE_LIMITED', 'Too many failed authentications from this address.', { retryAfter: wait });
}
