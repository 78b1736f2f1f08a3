import { ApiError } from '@mp/contracts/errors';
import type { Credential } from '../credentials/credential.ts';
import type { Exchange } from '../door/exchange.ts';
import type { Route } from '../routes/route.ts';
import type { BurstLimit } from '../usage/burst-limit.ts';
import type { DailyQuota } from '../usage/daily-quota.ts';
import { type Day, dayOf } from '../usage/day.ts';
import type { QuotaUse } from '../usage/quota-use.ts';
import type { UsageShares } from '../usage/usage-shares.ts';

export type LimitParts = { burst: BurstLimit; quota: DailyQuota; quotaUse: QuotaUse; shares: Pick<UsageShares, 'note'> };

/** Asking what is left costs nothing. */
const uncharged = '/v2/settings/usage';

/** At most this much later than asked, so that everybody who waited for midnight does not come in the same second. */
const jitterSeconds = 30;

/** Admits the request under the account's limits, with the figures in the headers. Throws RATE_LIMITED or QUOTA_EXCEEDED. */
export async function limitRequests(exchange: Exchange, credential: Credential, route: Route, parts: LimitParts) {
  const { burst, quota, quotaUse, shares } = parts;
  const { res, headers, at } = exchange;
  const { account } = credential;
  const { daily, perSecond } = account.limits;
  const day = dayOf(at);
  const tell = (remaining: number, used: number | undefined) => writeLimits(headers, { perSecond, remaining, daily, used, day });

  const admission = burst.enter(account.id, account.limits);
  if (!admission.admitted) {
    tell(admission.remaining, quota.lastSeen(account.id, day.date));
    throw new ApiError('RATE_LIMITED', `${admission.reason}; slow down.`, {
      retryAfter: 1,
      details: [{ limit: perSecond, used: perSecond, reset_at: new Date(at + 1_000).toISOString(), plan: account.plan }],
    });
  }
  // A client that hung up while we looked it up closes nothing any more.
  if (res.closed) admission.leave();
  else res.once('close', admission.leave);

  if (credential.kind === 'session' || route.path === uncharged) return tell(admission.remaining, quota.lastSeen(account.id, day.date));
  if (daily === null) {
    quota.count(account.id, day.date);
    shares.note(account.id, day.date, credential.id, route.scope);
    return tell(admission.remaining, undefined);
  }
  const used = await quota.spend(account.id, day.date, daily);
  quotaUse.note(account, day.date, used ?? daily, daily);
  tell(admission.remaining, used ?? daily);
  if (used === undefined) {
    throw new ApiError('QUOTA_EXCEEDED', `The ${daily} requests of this UTC day are spent.`, {
      retryAfter: day.secondsLeft + Math.floor(Math.random() * (jitterSeconds + 1)),
      details: [{ limit: daily, used: daily, reset_at: new Date(day.resetAt).toISOString(), plan: account.plan }],
    });
  }
  shares.note(account.id, day.date, credential.id, route.scope);
}

type Figures = { perSecond: number; remaining: number; daily: number | null; used: number | undefined; day: Day };

/** The IETF pair (draft 10) and the older triple. A plan without a daily figure has no daily member. */
function writeLimits(headers: Exchange['headers'], { perSecond, remaining, daily, used, day }: Figures) {
  const policy = `"burst";q=${perSecond};w=1`;
  const state = `"burst";r=${remaining};t=1`;
  if (daily === null) {
    headers['ratelimit-policy'] = policy;
    headers.ratelimit = state;
    return;
  }
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
