import { dayOf } from '../../quotas/day.ts';
import type { Limits } from '../../quotas/plans.ts';
import type { Exchange } from '../exchange.ts';

/**
 * Sets the limit headers: the IETF pair (draft 10) and the older X-RateLimit triple. A plan without a daily quota has no
 * daily part. `used` undefined: this gateway has not counted anything today.
 */
export function setRateLimitHeaders(
  { headers, at }: Pick<Exchange, 'headers' | 'at'>,
  { perSecond, daily }: Limits,
  remaining: number,
  used: number | undefined,
) {
  const policy = `"burst";q=${perSecond};w=1`;
  const state = `"burst";r=${remaining};t=1`;
  if (daily === null) {
    headers['ratelimit-policy'] = policy;
    headers.ratelimit = state;
    return;
  }
  const day = dayOf(at);
  headers['ratelimit-policy'] = `${policy}, "daily";q=${daily};w=86400`;
  headers['x-ratelimit-limit'] = daily;
  headers['x-ratelimit-reset'] = Math.floor(day.resetAt / 1_000);
  if (used === undefined) {
    headers.ratelimit = state;
    return;
  }
  const left = Math.max(0, daily - used);
  headers.ratelimit = `${state}, "daily";r=${left};t=${day.secondsLeft}`;
  headers['x-ratelimit-remaining'] = left;
}
