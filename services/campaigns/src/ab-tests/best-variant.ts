import type { Counts } from '../engagements/contribution.ts';
import type { AbResult, AbTest, WinnerMetric } from './ab-test.ts';

type Trial = AbResult['variants'][number];

const successesOf: Record<WinnerMetric, (counts: Counts) => number> = {
  opens: (counts) => counts.opened_human_unique ?? 0,
  clicks: (counts) => counts.clicked_human_unique ?? 0,
  conversions: (counts) => counts.converted ?? 0,
};

/** The numbers by which variants are compared, in the order of the test. */
export const trialsOf = ({ variants, metric }: AbTest, countsOf: (id: string) => Counts): Trial[] =>
  variants.map(({ id }) => {
    const counts = countsOf(id);
    const accepted = (counts.sent ?? 0) + (counts.delivered ?? 0) + (counts.complained ?? 0);
    return { id, accepted, successes: successesOf[metric](counts) };
  });

const rateOf = ({ accepted, successes }: Trial) => (accepted === 0 ? 0 : successes / accepted);

/** The normal approximation holds only if each variant has at least this many successes and failures. */
const minOfEach = 5;

const alpha = 0.05;

/**
 * The variant with the highest rate, the first of equal ones, and whether it differs from the second best by more than chance
 * explains.
 */
export function bestOf(trials: readonly Trial[]): Pick<AbResult, 'significance' | 'p_value'> & { best: string } {
  const [first, second] = trials.toSorted((a, b) => rateOf(b) - rateOf(a));
  if (!first) throw new Error('an A/B test has variants');
  const isSmall = ({ accepted, successes }: Trial) => successes < minOfEach || accepted - successes < minOfEach;
  if (!second || isSmall(first) || isSmall(second)) return { best: first.id, significance: 'not_enough_data', p_value: null };
  const p_value = pValueOf(first, second);
  return { best: first.id, significance: p_value < alpha ? 'significant' : 'not_significant', p_value };
}

/** The two-sided p-value of the two-proportion z-test with a pooled variance. */
function pValueOf(a: Trial, b: Trial): number {
  const pooled = (a.successes + b.successes) / (a.accepted + b.accepted);
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / a.accepted + 1 / b.accepted));
  return deviation === 0 ? 1 : upperTail(Math.abs(rateOf(a) - rateOf(b)) / deviation) * 2;
}

/** The probability that a standard normal variable exceeds `z` ≥ 0 (Abramowitz and Stegun 26.2.17, error below 7.5e-8). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (polynomial * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}
