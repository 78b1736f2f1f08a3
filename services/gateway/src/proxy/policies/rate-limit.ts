import { ApiError } from '@mp/contracts/errors';
import type { Credential, DecidingAccount } from '../../credentials/credential.ts';
import type { Admission, BurstLimit } from '../../quotas/burst-limit.ts';
import type { DailyQuota } from '../../quotas/daily-quota.ts';
import { dayOf } from '../../quotas/day.ts';
import type { Exchange } from '../exchange.ts';
import { setRateLimitHeaders } from './rate-limit-headers.ts';

export type BurstParts = { burst: BurstLimit; quota: Pick<DailyQuota, 'lastSeen'> };

/** A request as its limits see it. */
export type Limited = Pick<Exchange, 'headers' | 'at'>;

/** Charges the burst limit of the account, or throws RATE_LIMITED. */
export function takeBurst(exchange: Limited, account: DecidingAccount, { burst, quota }: BurstParts): Admission & { admitted: true } {
  const { at } = exchange;
  const admission = burst.enter(account.id, account.limits);
  if (admission.admitted) return admission;
  const { remaining, reason, limit } = admission;
  setRateLimitHeaders(exchange, account.limits, remaining, quota.lastSeen(account.id, dayOf(at).date));
  throw new ApiError('RATE_LIMITED', `${reason}; slow down.`, {
    retryAfter: 1,
    details: [{ limit, used: limit, reset_at: new Date(at + 1_000).toISOString(), plan: account.plan }],
  });
}

/**
 * Charges the request to the account's burst limit, or throws RATE_LIMITED. Belongs right after authentication, because requests
 * that are rejected later cost as much.
 */
export function enforceBurstLimit(exchange: Exchange, { account }: Credential, parts: BurstParts) {
  const { remaining, leave } = takeBurst(exchange, account, parts);
  // If the client hung up during the lookup, `close` has already fired.
  if (exchange.res.closed) leave();
  else exchange.leave = leave;
  exchange.remaining = remaining;
}
