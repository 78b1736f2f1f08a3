import type { Counts } from '../ledger/counters/contribution.ts';
import { amountUnit } from '../ledger/revenue.ts';
import type { AbResult, AbTest, Trial, WinnerMetric } from './ab-test.ts';
import { rateOf, significancesOf } from './significance.ts';

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

/** The variant with the highest rate, the first of equal ones. */
export function bestOf(trials: readonly Trial[]): string {
  const [first] = trials.toSorted((a, b) => perEmail(b) - perEmail(a));
  if (!first) throw new Error('an A/B test has variants');
  return first.id;
}

/**
 * How significant the differences between the winner and the other variants are. Any variant could have become the winner, so the p-values
 * are corrected for all pairs. Revenue per email is not a rate of successes, so it has no significance.
 */
export function comparedWithWinner(
  winner: string | null,
  trials: readonly Trial[],
): Pick<AbResult, 'significance' | 'p_value' | 'variants'> {
  const won = trials.find(({ id }) => id === winner);
  const none = { significance: null, p_value: null };
  if (!won || won.revenue !== null) return { ...none, variants: trials.map((trial) => ({ ...trial, ...none })) };
  const pairs = trials.flatMap((one, index) => trials.slice(index + 1).map((other) => ({ one, other })));
  const compared = significancesOf(pairs.map(({ one, other }) => [one, other] as const));
  const withWinner = (id: string) =>
    compared[pairs.findIndex(({ one, other }) => [one.id, other.id].sort().join() === [id, won.id].sort().join())];
  const variants = trials.map((trial) => ({ ...trial, ...(withWinner(trial.id) ?? none) }));
  const others = variants.filter(({ id }) => id !== won.id);
  if (others.length === 0 || others.some(({ significance }) => significance === 'not_enough_data'))
    return { significance: 'not_enough_data', p_value: null, variants };
  if (others.some((other) => perEmail(other) > perEmail(won))) return { significance: 'not_significant', p_value: null, variants };
  const isSignificant = others.every(({ significance }) => significance === 'significant');
  return {
    significance: isSignificant ? 'significant' : 'not_significant',
    p_value: Math.max(...others.map(({ p_value }) => p_value ?? 1)),
    variants,
  };
}
