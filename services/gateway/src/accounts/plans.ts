import { z } from 'zod';

export const Plan = z.enum(['starter', 'growth', 'professional', 'enterprise']).meta({ id: 'Plan' });
export type Plan = z.infer<typeof Plan>;

/** What an account may use. `daily` null: as much as it likes. */
export type Limits = { daily: number | null; perSecond: number; depth: number; concurrency: number };

/** Requests per UTC day, per second, and at once. */
const plans = {
  starter: { daily: 10_000, perSecond: 50, concurrency: 100 },
  growth: { daily: 50_000, perSecond: 100, concurrency: 200 },
  professional: { daily: 100_000, perSecond: 200, concurrency: 400 },
  enterprise: { daily: null, perSecond: 1_000, concurrency: 1_000 },
} as const satisfies Record<Plan, Omit<Limits, 'depth'>>;

/** Only Enterprise has a daily figure of its own, or none. */
export function limitsOf(account: { plan: Plan; daily_requests: number | null }): Limits {
  const { daily, perSecond, concurrency } = plans[account.plan];
  return { daily: account.plan === 'enterprise' ? account.daily_requests : daily, perSecond, depth: 2 * perSecond, concurrency };
}
