import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonLabel, winnerLabel } from './significance.ts';

const variant = (id: string, successes: number, significance: 'significant' | 'not_significant' | 'not_enough_data' | null = null) => ({
  ...{ id, accepted: 1_000, successes, significance },
});

test('the words about a winner are about the variant that was selected', () => {
  const best = { winner: 'b', significance: 'significant' as const, variants: [variant('a', 100, 'significant'), variant('b', 150)] };
  assert.equal(winnerLabel(best), 'It was better than the other, which is statistically significant.');
  assert.equal(comparisonLabel(variant('a', 100, 'significant'), best), 'Significantly worse');
  const variants = [variant('a', 100), variant('b', 150, 'significant'), variant('c', 105, 'not_significant')];
  const byHand = { winner: 'a', significance: 'not_significant' as const, variants };
  assert.equal(winnerLabel(byHand), 'Another variant was better, which is statistically significant.');
  assert.deepEqual(
    variants.map((one) => comparisonLabel(one, byHand)),
    ['–', 'Significantly better', 'May be due to chance'],
  );
  const close = {
    ...byHand,
    winner: 'b',
    variants: [variant('a', 100, 'not_significant'), variant('b', 110), variant('c', 90, 'significant')],
  };
  assert.equal(winnerLabel(close), 'Its difference from each of the others may be due to chance.');
  assert.equal(winnerLabel({ ...best, significance: null }), '');
});
