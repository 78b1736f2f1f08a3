import type { Metrics } from '@mp/service-kit/metrics';
import { LRUCache } from 'lru-cache';
import { Plan } from '../accounts/plans.ts';
import { dayOf } from './day.ts';

export type QuotaUse = ReturnType<typeof createQuotaUse>;

/** From this share of its day on, an account is near the end of it. */
const nearShare = 0.8;

/**
 * How much of their day accounts have used, by plan: a label for each account would be too many. A gateway tells of the
 * accounts it has counted for today, and of each what all gateways have used; so the largest of their numbers is right.
 */
export function createQuotaUse(metrics: Pick<Metrics, 'gauges'>, now: () => number) {
  const latest = new LRUCache<string, { plan: Plan; date: string; share: number }>({ max: 50_000 });

  const byPlan = (tell: (shares: readonly number[]) => number) =>
    new Map(
      Plan.options.map((plan) => [
        plan,
        async () => {
          const { date } = dayOf(now());
          return tell([...latest.values()].filter((entry) => entry.plan === plan && entry.date === date).map(({ share }) => share));
        },
      ]),
    );
  metrics.gauges(
    'gateway_quota_used_ratio',
    'The largest share of its daily quota that an account of the plan has used today.',
    'plan',
    byPlan((shares) => shares.reduce((largest, share) => Math.max(largest, share), 0)),
  );
  metrics.gauges(
    'gateway_accounts_near_quota',
    'Accounts of the plan that have used four fifths of their daily quota or more.',
    'plan',
    byPlan((shares) => shares.filter((share) => share >= nearShare).length),
  );

  return {
    note({ id, plan }: { id: string; plan: Plan }, date: string, used: number, limit: number) {
      const entry = latest.get(id);
      if (!entry) return void latest.set(id, { plan, date, share: used / limit });
      entry.plan = plan;
      entry.date = date;
      entry.share = used / limit;
    },
  };
}
