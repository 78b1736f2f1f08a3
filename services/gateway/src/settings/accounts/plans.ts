import type { Plan } from '@mp/contracts/plan';

/** The limits of an account. `daily` null: unlimited. `depth` is the size of the token bucket for bursts. */
export type Limits = { daily: number | null; perSecond: number; depth: number; concurrency: number };

/** Requests per UTC day, per second, and concurrently. */
const plans = {
  starter: { daily: 10_000, perSecond: 50, concurrency: 100 },
  growth: { daily: 50_000, perSecond: 100, concurrency: 200 },
  professional: { daily: 100_000, perSecond: 200, concurrency: 400 },
  enterprise: { daily: null, perSecond: 1_000, concurrency: 1_000 },
} as const satisfies Record<Plan, Omit<Limits, 'depth'>>;

/** The plan's limits. Enterprise accounts may have their own, and no daily quota unless one is set. */
export function limitsOf(account: { plan: Plan; daily_requests: number | null; requests_per_second: number | null }): Limits {
  const { daily, perSecond, concurrency } = plans[account.plan];
  if (account.plan !== 'enterprise') return { daily, perSecond, depth: 2 * perSecond, concurrency };
  const own = account.requests_per_second ?? perSecond;
  return { daily: account.daily_requests, perSecond: own, depth: 2 * own, concurrency: Math.max(concurrency, own) };
}
