import { ApiError } from '@mp/contracts/errors';
import type { DecidingAccount } from '../../credentials/credential.ts';
import type { DailyQuota } from '../../quotas/daily-quota.ts';
import { dayOf } from '../../quotas/day.ts';
import type { QuotaMetrics } from '../../quotas/quota-metrics.ts';
import type { UsageBreakdown } from '../../quotas/usage-breakdown.ts';
import { authenticated, type Exchange, routed } from '../exchange.ts';
import type { Route } from '../routes/route.ts';
import type { Limited } from './rate-limit.ts';
import { setRateLimitHeaders } from './rate-limit-headers.ts';

export type QuotaParts = { quota: DailyQuota; quotaMetrics: QuotaMetrics; breakdown: Pick<UsageBreakdown, 'note'> };

/** The credential of a request, or what takes its place. */
export type Charged = { id: string; account: DecidingAccount };

/** Random delay added to Retry-After, so that clients waiting for midnight do not all return in the same second. */
const jitterSeconds = 30;

/** Charges the request, unless it is of the dashboard or its route is among `uncharged`. */
export function enforceDailyQuota(exchange: Exchange, uncharged: readonly string[], parts: QuotaParts): Promise<void> | undefined {
  const credential = authenticated(exchange);
  const route = routed(exchange);
  const { remaining = 0 } = exchange;
  if (credential.kind !== 'session' && !uncharged.includes(route.path))
    return chargeQuota(exchange, { credential, route, remaining }, parts);
  const { account } = credential;
  setRateLimitHeaders(exchange, account.limits, remaining, parts.quota.lastSeen(account.id, dayOf(exchange.at).date));
  return undefined;
}

/**
 * Charges the request to the account's daily quota and sets the limit headers, or throws QUOTA_EXCEEDED. `remaining` is what
 * is left of the burst limit. Returns a promise only if no reserved quota is left.
 */
export function chargeQuota(
  exchange: Limited,
  { credential, route, remaining }: { credential: Charged; route: Pick<Route, 'path' | 'scope'>; remaining: number },
  parts: QuotaParts,
): Promise<void> | undefined {
  const { account } = credential;
  const { daily } = account.limits;
  const { date } = dayOf(exchange.at);
  if (daily === null) {
    parts.quota.count(account.id, date);
    parts.breakdown.note(account.id, date, credential.id, route.scope);
    setRateLimitHeaders(exchange, account.limits, remaining, undefined);
    return undefined;
  }
  const charge = (used: number | undefined) => {
    parts.quotaMetrics.note(account, date, used ?? daily, daily);
    setRateLimitHeaders(exchange, account.limits, remaining, used ?? daily);
    if (used === undefined) throw quotaExceeded(exchange, credential, daily);
    parts.breakdown.note(account.id, date, credential.id, route.scope);
  };
  const used = parts.quota.spend(account.id, date, daily);
  if (typeof used !== 'number') return used.then(charge);
  charge(used);
  return undefined;
}

function quotaExceeded({ at }: Limited, { account }: Charged, daily: number): ApiError {
  const { resetAt, secondsLeft } = dayOf(at);
  return new ApiError('QUOTA_EXCEEDED', `The daily quota of ${daily} requests is exhausted; it resets at midnight UTC.`, {
    retryAfter: secondsLeft + Math.floor(Math.random() * (jitterSeconds + 1)),
    details: [{ limit: daily, used: daily, reset_at: new Date(resetAt).toISOString(), plan: account.plan }],
  });
}
