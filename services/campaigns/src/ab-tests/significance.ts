import type { AbResult } from './ab-test.ts';

/** How many emails a group got, and how many of them succeeded. */
export type Group = { accepted: number; successes: number };

export type Significance = Pick<AbResult, 'significance' | 'p_value'>;

export const rateOf = ({ accepted, successes }: Group) => (accepted === 0 ? 0 : successes / accepted);

/** The normal approximation holds only if each group has at least this many successes and failures. */
const minOfEach = 5;

const alpha = 0.05;

const none: Significance = { significance: 'not_enough_data', p_value: null };

/** Whether the difference between the rates of two groups is statistically significant (two-proportion z-test). */
export const significanceOf = (a: Group, b: Group): Significance => significancesOf([[a, b]])[0] ?? none;

/** The same for several pairs at once, with the p-values corrected for their number (Holm–Bonferroni). */
export function significancesOf(pairs: readonly (readonly [Group, Group])[]): Significance[] {
  const isSmall = ({ accepted, successes }: Group) => successes < minOfEach || accepted - successes < minOfEach;
  const tested = pairs.flatMap(([a, b], index) => (isSmall(a) || isSmall(b) ? [] : [{ index, p: pValueOf(a, b) }]));
  const corrected = new Map<number, number>();
  let highest = 0;
  for (const [rank, { index, p }] of tested.toSorted((a, b) => a.p - b.p).entries()) {
    highest = Math.max(highest, Math.min(1, p * (tested.length - rank)));
    corrected.set(index, highest);
  }
  return pairs.map((_, index) => {
    const p_value = corrected.get(index);
    return p_value === undefined ? none : { significance: p_value < alpha ? 'significant' : 'not_significant', p_value };
  });
}

/** The two-sided p-value of the two-proportion z-test with a pooled variance. */
function pValueOf(a: Group, b: Group): number {
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
