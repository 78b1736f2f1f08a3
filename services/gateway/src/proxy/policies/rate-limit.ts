import { ApiError } from '@mp/contracts/errors';
import type { Credential } from '../../credentials/credential.ts';
import type { BurstLimit } from '../../quotas/burst-limit.ts';
import type { DailyQuota } from '../../quotas/daily-quota.ts';
import { dayOf } from '../../quotas/day.ts';
import type { Exchange } from '../listener/exchange.ts';
import { setRateLimitHeaders } from './rate-limit-headers.ts';

export type BurstParts = { burst: BurstLimit; quota: Pick<DailyQuota, 'lastSeen'> };

/**
 * Charges the request to the account's burst limit and returns what is left of this second, or throws RATE_LIMITED. Runs
 * right after authentication, because requests that are rejected later cost as much.
 */
export function enforceBurstLimit(exchange: Exchange, { account }: Credential, { burst, quota }: BurstParts): number {
  const { res, at } = exchange;
  const admission = burst.enter(account.id, account.limits);
  if (!admission.admitted) {
    const { remaining, reason, limit } = admission;
    setRateLimitHeaders(exchange, account.limits, remaining, quota.lastSeen(account.id, dayOf(at).date));
    throw new ApiError('RATE_LIMITED', `${reason}; slow down.`, {
      retryAfter: 1,
      details: [{ limit, used: limit, reset_at: new Date(at + 1_000).toISOString(), plan: account.plan }],
    });
  }
  // If the client hung up during the lookup, `close` has already fired.
  if (res.closed) admission.leave();
  else exchange.leave = admission.leave;
  return admission.remaining;
}
