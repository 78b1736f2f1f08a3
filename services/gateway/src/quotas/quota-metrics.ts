import { Plan } from '@mp/contracts/plan';
import type { Metrics } from '@mp/service-kit/metrics';
import { LRUCache } from 'lru-cache';
import { dayOf } from './day.ts';

export type QuotaMetrics = ReturnType<typeof createQuotaMetrics>;

/** From this share on, an account counts as near its daily quota. */
const nearShare = 0.8;

/**
 * Metrics of quota use, by plan, because a label per account would be too many. A gateway reports the accounts it has
 * counted today, each with what all gateways together have used, so the maximum over the gateways is correct.
 */
export function createQuotaMetrics(metrics: Pick<Metrics, 'gauges'>, now: () => number) {
  const latest = new LRUCache<string, { plan: Plan; date: string; share: number }>({ max: 50_000 });

  const byPlan = (aggregate: (shares: readonly number[]) => number) =>
    new Map(
      Plan.options.map((plan) => [
        plan,
        async () => {
          const { date } = dayOf(now());
          return aggregate([...latest.values()].filter((entry) => entry.plan === plan && entry.date === date).map(({ share }) => share));
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
