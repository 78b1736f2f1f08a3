/** How a report describes the certainty of a difference. */
export const significanceLabels = {
  significant: 'The difference is statistically significant.',
  not_significant: 'The difference may be due to chance.',
  not_enough_data: 'There is not enough data to rule out chance.',
};

type Compared = { significance: keyof typeof significanceLabels | null };
type Variant = Compared & { id: string; accepted: number; successes: number };
type Result = Compared & { winner: string | null; variants: readonly Variant[] };

const rateOf = ({ accepted, successes }: Variant) => (accepted === 0 ? 0 : successes / accepted);

/** How certain it is that the winner of an A/B test is better than the other variants; empty if that is not tested. */
export function winnerLabel({ winner, significance, variants }: Result): string {
  const won = variants.find(({ id }) => id === winner);
  if (!won || significance === null) return '';
  const better = variants.filter((variant) => rateOf(variant) > rateOf(won));
  if (better.some((variant) => variant.significance === 'significant'))
    return 'Another variant was better, which is statistically significant.';
  if (better.length > 0) return 'Another variant was better, which may be due to chance.';
  if (significance === 'not_enough_data') return significanceLabels.not_enough_data;
  const others = variants.length > 2 ? 'each of the others' : 'the other';
  return significance === 'significant'
    ? `It was better than ${others}, which is statistically significant.`
    : `Its difference from ${others} may be due to chance.`;
}

/** How a variant compares with the winner. */
export function comparisonLabel(variant: Variant, { winner, variants }: Result): string {
  const won = variants.find(({ id }) => id === winner);
  if (!won || variant.significance === null) return '–';
  if (variant.significance === 'not_enough_data') return 'Not enough data';
  if (variant.significance === 'not_significant') return 'May be due to chance';
  return rateOf(variant) > rateOf(won) ? 'Significantly better' : 'Significantly worse';
}
