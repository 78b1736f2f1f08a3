import { amountUnit, type Counts } from '../engagements/contribution.ts';
import type { AbResult, AbTest, WinnerMetric } from './ab-test.ts';
import { rateOf, type Significance, significanceOf } from './significance.ts';

type Trial = AbResult['variants'][number];

/** The recipients that succeeded. For revenue, those with a conversion. */
const successesOf: Record<WinnerMetric, (counts: Counts) => number> = {
  opens: (counts) => counts.opened_human_unique ?? 0,
  clicks: (counts) => counts.clicked_human_unique ?? 0,
  conversions: (counts) => counts.converted ?? 0,
  revenue: (counts) => counts.converted ?? 0,
};

/** The numbers by which variants are compared, in the order of the test. */
export const trialsOf = ({ variants, metric, currency }: AbTest, countsOf: (id: string) => Counts): Trial[] =>
  variants.map(({ id }) => {
    const counts = countsOf(id);
    const accepted = (counts.sent ?? 0) + (counts.delivered ?? 0) + (counts.complained ?? 0);
    const revenue = metric === 'revenue' ? (counts[`revenue_${currency}`] ?? 0) / amountUnit : null;
    return { id, accepted, successes: successesOf[metric](counts), revenue };
  });

/** The metric, per accepted email, that decides the winner. */
const perEmail = ({ accepted, successes, revenue }: Trial) => rateOf({ accepted, successes: revenue ?? successes });

/**
 * The variant with the highest rate, the first of equal ones, and whether its difference from the second best is statistically significant. Revenue per email is not a rate of successes, so it has no significance.
 */
export function bestOf(trials: readonly Trial[]): Significance & { best: string } {
  const [first, second] = trials.toSorted((a, b) => perEmail(b) - perEmail(a));
  if (!first) throw new Error('an A/B test has variants');
  if (first.revenue !== null) return { best: first.id, significance: null, p_value: null };
  return { best: first.id, ...(second ? significanceOf(first, second) : { significance: 'not_enough_data', p_value: null }) };
}
