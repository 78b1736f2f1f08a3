import { isIPv6 } from 'node:net';
import { ApiError } from '@mp/contracts/errors';
import { LRUCache } from 'lru-cache';

export type WrongCredentials = ReturnType<typeof createWrongCredentials>;

const mostPerMinute = 100;
const minuteMs = 60_000;

/**
 * Counts wrong credentials, not missing or malformed ones, per address and minute. Where something can be guessed, such as
 * a password, an address that is over the limit has to wait. A key cannot be guessed: right ones are served all the same.
 */
export function createWrongCredentials(now: () => number) {
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

    /** Seconds until this address may try again; 0 when it may now. */
    waitOf(address: string): number {
      const entry = current(address);
      return entry && entry.count >= mostPerMinute ? Math.max(1, Math.ceil((entry.since + minuteMs - now()) / 1_000)) : 0;
    },
  };
}

/** Counts a wrong key, token or session. Throws RATE_LIMITED where there have been too many from this address. */
export function countWrong(address: string, wrongCredentials: WrongCredentials) {
  const wait = wrongCredentials.waitOf(address);
  wrongCredentials.count(address);
  refuse(wait);
}

/** Throws RATE_LIMITED where this address has to wait. */
export const refuseWhenTooMany = (address: string, wrongCredentials: WrongCredentials) => refuse(wrongCredentials.waitOf(address));

function refuse(wait: number) {
  if (wait > 0) throw new ApiError('RATE_LIMITED', 'Too many wrong credentials came from this address.', { retryAfter: wait });
}

/** One household or server has a whole /64 of IPv6 addresses. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
